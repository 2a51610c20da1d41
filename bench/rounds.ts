/**
 * Grades a shipped suite in rounds, in a process of its own that loads what grading needs and nothing else.
 * Started by `grade.ts`, in a group that counts its processor time.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { Group } from './cpu.ts'
import { loadBasics, openGrading, without, type LanguageName, type Verdicts } from './shipped.ts'

/** What it hands back. */
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

/** Rounds of grading, with the group's count read between them. */
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

if (import.meta.main) {
  const [language = '', least, path = '', folder] = process.argv.slice(2)
  await gradeRounds(language as LanguageName, Number(least), path, new Group(folder))
}
