/**
 * Names that must not return: words that were coined for this code and that nobody searches for, and the
 * word "judge" outside of the files that are about LLM judges.
 */
import { parseSync } from 'oxc-parser'
import type { Tree } from './check.ts'

/** As a whole word in a file's name or an exported name: `layFiles`, `beside.ts`. */
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

/** Where "judge" may be written: files about LLM judges, and those that read their settings or figures. */
export const JUDGE_PATHS: readonly string[] = []

export function nameFaults(tree: Tree): string[] {
  return [...tree].flatMap(([file, text]) => [
    ...coinedIn(file.split('/').at(-1) ?? '', `the file name ${file}`),
    ...exportedNames(file, text).flatMap((name) => coinedIn(name, `${file} exports ${name}`)),
  ])
}

export function judgeFaults(texts: Tree): string[] {
  return [...texts].flatMap(([file, text]) =>
    /judg/i.test(text) && !JUDGE_PATHS.some((path) => file.startsWith(path))
      ? [`${file} writes "judge", which is for LLM judges: see JUDGE_PATHS`]
      : [],
  )
}

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
