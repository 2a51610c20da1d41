/** Helpers for tests of graders: an answer without anything else, and the result of a grader. */
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { graderByType } from '../src/grade/graders.ts'
import type {
  GraderInput,
  GradedWorkspace,
  GraderContext,
  GraderOutput,
} from '../src/grade/grader.ts'
import { fakeCase } from './fakes.ts'

export const gradedAnswer = (answer: string, change: Partial<GraderInput> = {}): GraderInput => ({
  case: fakeCase('c'),
  answer,
  files: {},
  usage: null,
  usd: null,
  answerMs: 0,
  folder: null,
  trajectory: null,
  diff: null,
  workspace: null,
  ...change,
})

/** A workspace in memory with these files. Each copy of it is written to the disk. */
export const gradedWorkspace = (files: Readonly<Record<string, string>>): GradedWorkspace => ({
  ready: () => Promise.resolve(),
  list: () => Promise.resolve(Object.keys(files).toSorted()),
  read: (path) => Promise.resolve(files[path] ?? null),
  async lay() {
    const around = await realpath(await mkdtemp(join(tmpdir(), 'laid-')))
    const place = {
      folder: join(around, 'project'),
      home: join(around, 'home'),
      temporary: join(around, 'temporary'),
    }
    for (const path of Object.values(place)) await mkdir(path)
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(place.folder, path)), { recursive: true })
      await writeFile(join(place.folder, path), text)
    }
    return { ...place, remove: () => rm(around, { recursive: true, force: true }) }
  },
})

/** The options as a suite writes them. */
export async function judged(
  type: string,
  options: unknown,
  answer: string,
  change: Partial<GraderInput> = {},
  context: Partial<GraderContext> = {},
): Promise<GraderOutput> {
  const grader = graderByType(type)
  if (grader === undefined) throw new Error(`there is no grader ${type}`)
  const graded = gradedAnswer(answer, change)
  let given = grader.options.parse(options)
  if (grader.resolve !== undefined) {
    const resolved = await grader.resolve(given, graded.folder ?? '/')
    if ('faults' in resolved) throw new Error(JSON.stringify(resolved.faults))
    given = resolved.options
  }
  return await grader.grade(graded, given, {
    signal: new AbortController().signal,
    timeoutMs: 10_000,
    sandbox: null,
    random: () => 0,
    ...context,
  })
}

/** Returns why the options are refused. */
export function refusal(type: string, options: unknown): string {
  const result = graderByType(type)?.options.safeParse(options)
  return (
    result?.error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join() ?? ''
  )
}
