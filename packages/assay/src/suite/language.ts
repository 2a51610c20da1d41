/** Programming languages under one name each, whatever a suite calls them. */

const NAMES: Readonly<Record<string, string>> = {
  ts: 'typescript',
  js: 'javascript',
  py: 'python',
  rs: 'rust',
  golang: 'go',
  // MultiPL-E names languages by the suffix of their test files.
  'go_test.go': 'go',
  rb: 'ruby',
  sh: 'bash',
  jl: 'julia',
  pl: 'perl',
  rkt: 'racket',
  'c++': 'cpp',
  'c#': 'csharp',
  cs: 'csharp',
}

/** @example languageName('TS') // 'typescript' */
export function languageName(name: string): string {
  const lower = name.trim().toLowerCase()
  return Object.hasOwn(NAMES, lower) ? (NAMES[lower] ?? lower) : lower
}
