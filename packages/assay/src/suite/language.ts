/** Gives each programming language a single name. Suites may use other names for it. */

const NAMES: Readonly<Record<string, string>> = {
  ts: 'typescript',
  js: 'javascript',
  node: 'javascript',
  nodejs: 'javascript',
  'node.js': 'javascript',
  ecmascript: 'javascript',
  py: 'python',
  py3: 'python',
  python3: 'python',
  rs: 'rust',
  golang: 'go',
  // MultiPL-E names a language by the suffix of its test files.
  'go_test.go': 'go',
  rb: 'ruby',
  sh: 'bash',
  jl: 'julia',
  pl: 'perl',
  rkt: 'racket',
  'c++': 'cpp',
  cplusplus: 'cpp',
  cc: 'cpp',
  kt: 'kotlin',
  hs: 'haskell',
  ml: 'ocaml',
  ex: 'elixir',
  clj: 'clojure',
  'f#': 'fsharp',
  'c#': 'csharp',
  cs: 'csharp',
}

/**
 * Returns the standard name of a language.
 * @example languageName('TS') // 'typescript'
 */
export function languageName(name: string): string {
  const lower = name.trim().toLowerCase()
  return Object.hasOwn(NAMES, lower) ? (NAMES[lower] ?? lower) : lower
}

const OTHERS =
  'ada assembly bash c clojure cobol cpp crystal csharp d dart elixir elm erlang fortran fsharp go groovy haskell ' +
  'java julia kotlin lisp lua matlab nim ocaml octave pascal perl php powershell prolog r racket ruby scala scheme ' +
  'scilab shell solidity sql swift tcl vb verilog vhdl visualbasic zig'
const KNOWN = new Set([...Object.values(NAMES), ...OTHERS.split(' ')])

/** Whether a name returned by `languageName` is a programming language. */
export const isProgrammingLanguage = (name: string): boolean => KNOWN.has(name)
