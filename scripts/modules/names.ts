/**
 * Checks for names that must not be used: words that were coined for this code, "judge" in the path of a file that
 * is not about LLM judges, and comparisons with the name of a grader or a language.
 */
import { parseSync } from 'oxc-parser'
import type { Tree } from './check.ts'

/**
 * Coined words, each with the words to use instead. A coined word must not be a whole word of a file name or an
 * exported name, as in `boxedProcess` or `beside.ts`.
 */
const COINED: ReadonlyMap<string, string> = new Map([
  ['again', 'retry'],
  ['beside', 'next to, in-process'],
  ['boxed', 'sandboxed'],
  ['cage', 'limits'],
  ['conduct', 'run-trial'],
  ['conductor', 'trial runner'],
  ['converse', 'ask-turns'],
  ['fold', 'store texts'],
  ['unfold', 'load texts'],
  ['front', 'analyzer'],
  ['fronts', 'analyzers'],
  ['give', 'chown-tree'],
  ['judgement', 'GraderOutput'],
  ['judging', 'JudgeRequests, TestSession'],
  ['laid', 'staged'],
  ['lay', 'stage'],
  ['likeness', 'similarity'],
  ['mend', 'diagnose'],
  ['mending', 'diagnose'],
  ['rehearse', 'warmup'],
  ['room', 'module, folder, mounts, space'],
  ['settle', 'outcome'],
  ['settled', 'outcome'],
  ['spot', 'location'],
  ['spots', 'locations'],
  ['standin', 'stub'],
  ['twin', 'counterpart'],
  ['twins', 'counterparts'],
])

/**
 * The paths that may contain "judge", because they are about LLM judges. Other files must be named for what they
 * do.
 */
export const JUDGE_PATHS: readonly string[] = [
  'packages/assay/src/cli/settings/plan-judges.ts',
  'packages/assay/src/grade/judge/',
  'packages/assay/src/report/figures/judge-report',
  'packages/assay/src/report/schema/judge-schema.ts',
  'packages/assay/src/run/grade/judge-requests.ts',
  'packages/assay/src/run/grade/judges',
  'packages/assay/src/suite/import/eval-yaml/judges',
  'packages/metrics/src/judge/',
]

export function nameFaults(tree: Tree): string[] {
  return [...tree].flatMap(([file, text]) => [
    ...coinedIn(file.split('/').at(-1) ?? '', `the file name ${file}`),
    ...exportedNames(file, text).flatMap((name) => coinedIn(name, `${file} exports ${name}`)),
  ])
}

export const judgeFaults = (files: readonly string[]): string[] =>
  files
    .filter((file) => /judge/i.test(file) && !JUDGE_PATHS.some((path) => file.startsWith(path)))
    .map(
      (file) => `${file}: "judge" is for LLM judges; name it otherwise, or add it to JUDGE_PATHS`,
    )

/**
 * Finds comparisons with the name of a grader or a language. Such comparisons are not allowed: graders and
 * languages declare their special properties, and other code must read those. Only the folder of a language itself
 * may compare with its name.
 */
export function comparedNames(
  tree: Tree,
  { graders, languages }: Readonly<Record<'graders' | 'languages', readonly string[]>>,
): string[] {
  const types = new RegExp(String.raw`\b(type (?:===|!==) '(?:${graders.join('|')})')`, 'g')
  const names = new RegExp(
    String.raw`\b((?:language|name) (?:===|!==) '(?:${languages.join('|')})')`,
    'g',
  )
  return [...tree].flatMap(([file, text]) => [
    ...comparisons(file, text, types),
    ...(file.startsWith('packages/code/src/languages/') ? [] : comparisons(file, text, names)),
  ])
}

const comparisons = (file: string, text: string, pattern: RegExp): string[] =>
  Array.from(
    text.matchAll(pattern),
    ([, found]) => `${file}: ask for what it declares, not ${found}`,
  )

function coinedIn(name: string, where: string): string[] {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
  return words.flatMap((word) => {
    const instead = COINED.get(word)
    return instead === undefined ? [] : [`${where}: write ${instead}, not "${word}"`]
  })
}

function exportedNames(file: string, text: string): string[] {
  const { module } = parseSync(file, text)
  return module.staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ exportName, moduleRequest }) =>
      moduleRequest === null && exportName.name !== null ? [exportName.name] : [],
    ),
  )
}
