/**
 * Grades a shipped suite in rounds, in a separate process that loads only what grading needs. `grade.ts` starts it
 * in a control group that counts its processor time.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { Group } from './cpu.ts'
import {
  loadBasics,
  openGrading,
  someAnswers,
  without,
  type LanguageName,
  type Verdicts,
} from './shipped.ts'

/** The verdicts and times that the process returns. */
export interface Graded {
  readonly verdicts: Verdicts
  readonly samples: number
  readonly laterSamples: number
  readonly startMs: number
  readonly firstMs: number
  readonly laterMs: number
  readonly laterWallMs: number
  readonly peakMegabytes: number
}

/**
 * Grades the whole suite several times. The processor time of the group is read after the first round and at the end.
 */
async function gradeRounds(
  language: LanguageName,
  least: number,
  path: string,
  group: Group,
): Promise<void> {
  const { endless } = JSON.parse(readFileSync(path, 'utf8')) as { endless: readonly string[] }
  const suite = without(await loadBasics(language), new Set(endless))
  const grading = await openGrading([suite])
  const began = group.cpuMs()
  const verdicts = await grading.grade(suite)
  const first = group.cpuMs()
  const each = Object.keys(verdicts).length
  const wall = performance.now()
  let samples = each
  for (; samples < least; samples += each) await grading.grade(suite)
  const done = group.cpuMs()
  const laterWallMs = performance.now() - wall
  await grading.close()
  const result: Graded = {
    verdicts,
    samples,
    laterSamples: samples - each,
    startMs: began,
    firstMs: first - began,
    laterMs: done - first,
    laterWallMs,
    peakMegabytes: process.resourceUsage().maxRSS / 1024,
  }
  writeFileSync(path, JSON.stringify(result))
}

/** Grades exactly `count` answers, as a small run does. */
async function gradeSome(language: LanguageName, count: number, path: string): Promise<void> {
  const { endless } = JSON.parse(readFileSync(path, 'utf8')) as { endless: readonly string[] }
  const suite = await loadBasics(language)
  const grading = await openGrading([suite])
  const verdicts = await grading.gradeSome(suite, someAnswers(suite, count, new Set(endless)))
  await grading.close()
  writeFileSync(path, JSON.stringify({ verdicts }))
}

const [kind = '', language = '', count, path = '', folder] = process.argv.slice(2)
if (kind === 'some') await gradeSome(language as LanguageName, Number(count), path)
else await gradeRounds(language as LanguageName, Number(count), path, new Group(folder))
