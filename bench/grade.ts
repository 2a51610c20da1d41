/**
 * Measures what grading a sample in the sandbox costs, next to plain pipelines on the same samples in the same run.
 * The samples are the references and faulty answers of the shipped suites. Endless answers always use their whole
 * time limit. So their verdicts are compared, but their time is not counted. Run it with `npm run bench:grade
 * [quick] [language…]`. With the word `small`, `10` or `200`, only the small runs are measured (small.ts). Time is
 * the processor time of every process, as a control group counts it. "all" is everything from the start of the
 * program to its end, divided by the number of samples. "later" is the same for the rounds after the first one. By
 * then, compilers, linters and servers are running and every case is known. The targets apply to "all". A machine
 * can be slow for a few minutes, so grading and the pipelines take turns. Grading runs first and last.
 */
import { availableParallelism } from 'node:os'
import { findProgram } from '@assay/sandbox'
import { checkCounting } from './cpu.ts'
import { figure, graded, samplesOf, sum, type Spent } from './graded.ts'
import { runNaive, type Naive, type NaiveResult } from './naive/pipeline.ts'
import { python } from './naive/python.ts'
import { rust } from './naive/rust.ts'
import { typescript } from './naive/typescript.ts'
import { endlessOf, LANGUAGES, spread, type LanguageName } from './shipped.ts'
import { SMALL_SIZES, smallRuns } from './small.ts'

const NAIVE: Record<LanguageName, Naive> = { typescript, python, rust }
/**
 * At least this many samples are graded. So the cost of starting is divided by about as many samples as an ordinary run
 * has.
 */
const LEAST: Record<LanguageName, number> = { typescript: 1500, python: 3000, rust: 80 }
/**
 * How often grading and the pipelines take turns. Short measurements vary more from minute to minute, so they take more
 * turns.
 */
const TURNS: Record<LanguageName, number> = { typescript: 1, python: 3, rust: 1 }
/** The most CPU milliseconds that grading one sample should take. */
const MOST_MS: Partial<Record<LanguageName, number>> = { typescript: 65 }
const QUICK = { samples: 12, rounds: 2 }

/** Adds up the figures of several processes, as if one process had done all the work. */
const together = (all: readonly Spent[]): Spent => ({
  verdicts: all[0]?.verdicts ?? {},
  samples: sum(all, ({ samples }) => samples),
  laterSamples: sum(all, ({ laterSamples }) => laterSamples),
  startMs: sum(all, ({ startMs }) => startMs),
  firstMs: sum(all, ({ firstMs }) => firstMs),
  laterMs: sum(all, ({ laterMs }) => laterMs),
  laterWallMs: sum(all, ({ laterWallMs }) => laterWallMs),
  peakMegabytes: Math.max(...all.map(({ peakMegabytes }) => peakMegabytes)),
  allMs: sum(all, ({ allMs }) => allMs),
  allWallMs: sum(all, ({ allWallMs }) => allWallMs),
})

function table(
  naive: Naive,
  turns: readonly Spent[],
  slow: readonly NaiveResult[],
): { lines: string[]; missed: string[] } {
  const fast = together(turns)
  const language = naive.language as LanguageName
  const missed: string[] = []
  const each = fast.allMs / fast.samples
  const later = fast.laterSamples === 0 ? null : fast.laterMs / fast.laterSamples
  const rate = fast.laterSamples / (fast.laterWallMs / 1000)
  const times = (cpuMs: number): string =>
    `${(cpuMs / each).toFixed(1)}${later === null ? '' : `, ${(cpuMs / later).toFixed(1)}`}`
  const most = MOST_MS[language]
  if (most !== undefined && each > most)
    missed.push(`${language}: ${figure(each)} CPU ms per sample, at most ${most} wanted`)
  const lines = [
    `| ${language} | CPU ms per sample: all, later | times: all, later | wanted |`,
    '|---|---|---|---|',
    `| graded in the sandbox | ${figure(each)}${later === null ? '' : `, ${figure(later)}`} | 1 | ${most === undefined ? '' : `at most ${most}`} |`,
  ]
  for (const { name, commands, target } of naive.pipelines) {
    const parts = commands.map(
      (command) => sum(slow, (one) => one.cpuMs.get(command) ?? Number.NaN) / slow.length,
    )
    const cpuMs = sum(parts, (part) => part)
    if (target !== null && !(cpuMs / each >= target))
      missed.push(`${name}: ${(cpuMs / each).toFixed(1)} times, at least ${target} wanted`)
    lines.push(
      `| ${name} | ${figure(cpuMs)} (${parts.map(figure).join(' + ')}) | ${times(cpuMs)} | ${target === null ? '' : `at least ${target}`} |`,
    )
  }
  lines.push(
    '',
    `${turns.length} times ${turns[0]?.samples ?? 0} samples: ${turns.map((one) => figure(one.allMs / one.samples)).join(', ')}; together: start ${figure(fast.startMs)} CPU ms, first rounds of ${fast.samples - fast.laterSamples} ${figure(fast.firstMs)}, end ${figure(fast.allMs - fast.startMs - fast.firstMs - fast.laterMs)}; host at most ${fast.peakMegabytes.toFixed(0)} MB${fast.laterSamples === 0 ? '' : `; ${rate.toFixed(1)} samples per second in later rounds at parallelism ${availableParallelism()}`}`,
  )
  return { lines, missed }
}

async function compare(language: LanguageName, quick: boolean): Promise<string[]> {
  const naive = NAIVE[language]
  const all = await samplesOf(language)
  const { verdicts } = await graded('rounds', language, 1, [])
  const endless = endlessOf(verdicts)
  const least = quick ? QUICK.rounds * (all.length - endless.size) : LEAST[language]
  const samples = quick ? spread(all, QUICK.samples) : all
  const fast = [await graded('rounds', language, least, [...endless])]
  const slow: NaiveResult[] = []
  for (let turn = 0; turn < TURNS[language]; turn++) {
    slow.push(await runNaive(naive, samples, endless))
    fast.push(await graded('rounds', language, least, [...endless]))
  }
  const { lines, missed } = table(naive, fast, slow)
  const differing = samples.filter(({ id }) =>
    slow.some(({ passed }) => passed.get(id) !== verdicts[id]?.passed),
  )
  console.log(`\n${lines.join('\n')}`)
  console.log(
    `Verdicts: ${samples.length - differing.length} of ${samples.length} the same in both, ${endless.size} endless answers among all ${all.length}.`,
  )
  for (const { id } of differing) {
    const { passed, reason } = verdicts[id] ?? { passed: false, reason: 'not graded' }
    missed.push(
      `${language}, ${id}: ${passed ? 'passes' : `fails (${reason})`} here, ${slow[0]?.passed.get(id) ? 'passes' : 'fails'} there: ${slow[0]?.said.get(id) ?? ''}`,
    )
  }
  return missed
}

const words = process.argv.slice(2)
const asked = LANGUAGES.filter((language) => words.includes(language))
const sizes = SMALL_SIZES.filter((size) => words.includes(String(size)) || words.includes('small'))
console.log(await checkCounting(findProgram('bwrap')))
const missed: string[] = []
for (const language of asked.length === 0 ? LANGUAGES : asked) {
  if (sizes.length === 0) missed.push(...(await compare(language, words.includes('quick'))))
  const small = await smallRuns(NAIVE[language], sizes.length === 0 ? SMALL_SIZES : sizes)
  console.log(`\n${small.lines.join('\n')}`)
  missed.push(...small.missed)
}
console.log(missed.length === 0 ? '\nAll targets met.' : `\nMissed:\n${missed.join('\n')}`)
process.exitCode = missed.length === 0 ? 0 : 1
