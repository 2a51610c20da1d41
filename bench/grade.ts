/**
 * What grading a sample costs, in the sandbox, beside naive pipelines on the same samples in the same run:
 * the references and faulty answers of the shipped suites. Endless answers have their verdicts compared and
 * their time not counted: it is the limit's. `npm run bench:grade [quick] [language…]`
 *
 * Time is processor time of every process involved, as a control group counts it. "all" is everything from
 * the start of the program to its end, over the samples it graded; "later" are the rounds after the first,
 * when compilers, linters and servers are up and each case is known. Targets are held to "all". Machines have
 * slow minutes, so grading and the pipelines take turns, grading first and last; all of it counts.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { findProgram } from '@assay/sandbox'
import { checkCounting, Group } from './cpu.ts'
import { runNaive, type Naive, type NaiveResult, type Sample } from './naive/pipeline.ts'
import { python } from './naive/python.ts'
import { rust } from './naive/rust.ts'
import { typescript } from './naive/typescript.ts'
import type { Graded } from './rounds.ts'
import {
  answersOf,
  codeOf,
  endlessOf,
  LANGUAGES,
  loadBasics,
  type LanguageName,
} from './shipped.ts'

const NAIVE: Record<LanguageName, Naive> = { typescript, python, rust }
/** Samples to grade at least: what starting costs is spread over as many as a run easily has. */
const LEAST: Record<LanguageName, number> = { typescript: 1500, python: 3000, rust: 80 }
/** How often grading and the pipelines take turns: the shorter the work, the more it is a matter of the minute. */
const TURNS: Record<LanguageName, number> = { typescript: 1, python: 3, rust: 1 }
/** Milliseconds for one sample. */
const MOST_MS: Partial<Record<LanguageName, number>> = { typescript: 65 }
const QUICK = { samples: 12, rounds: 2 }
const HOUR = 3_600_000

type Spent = Graded & { readonly allMs: number }

const sum = <T>(list: readonly T[], of: (one: T) => number): number =>
  list.reduce((total, one) => total + of(one), 0)

/** Several processes as if they were one. */
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
})

/** Grades in a process of its own, in a group of its own. */
async function graded(
  language: LanguageName,
  least: number,
  endless: readonly string[],
): Promise<Spent> {
  const folder = mkdtempSync(join(tmpdir(), 'assay-bench-'))
  const path = join(folder, 'graded.json')
  const group = new Group()
  try {
    writeFileSync(path, JSON.stringify({ endless }))
    const spent = await group.run({
      argv: [
        process.execPath,
        // As the command's first line has it.
        '--max-semi-space-size=16',
        join(import.meta.dirname, 'rounds.ts'),
        language,
        String(least),
        path,
        group.folder,
      ],
      cwd: process.cwd(),
      limitMs: HOUR,
    })
    if (!spent.ok) throw new Error(`grading ${language} failed:\n${spent.said}`)
    return { ...(JSON.parse(readFileSync(path, 'utf8')) as Graded), allMs: spent.cpuMs }
  } finally {
    await group.close()
    rmSync(folder, { recursive: true })
  }
}

async function samplesOf(language: LanguageName): Promise<Sample[]> {
  const suite = await loadBasics(language)
  return suite.cases.flatMap((one) =>
    answersOf(one).map(([id, answer]) => ({ id, case: one, ...codeOf(one, answer) })),
  )
}

const spread = <T>(list: readonly T[], count: number): T[] =>
  list.filter(
    (_, at) =>
      Math.floor((at * count) / list.length) !== Math.floor(((at - 1) * count) / list.length),
  )

const figure = (value: number): string => value.toFixed(value < 20 ? 1 : 0)

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
  const { verdicts } = await graded(language, 1, [])
  const endless = endlessOf(verdicts)
  const least = quick ? QUICK.rounds * (all.length - endless.size) : LEAST[language]
  const samples = quick ? spread(all, QUICK.samples) : all
  const fast = [await graded(language, least, [...endless])]
  const slow: NaiveResult[] = []
  for (let turn = 0; turn < TURNS[language]; turn++) {
    slow.push(await runNaive(naive, samples, endless))
    fast.push(await graded(language, least, [...endless]))
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
console.log(await checkCounting(findProgram('bwrap')))
const missed: string[] = []
for (const language of asked.length === 0 ? LANGUAGES : asked)
  missed.push(...(await compare(language, words.includes('quick'))))
console.log(missed.length === 0 ? '\nAll targets met.' : `\nMissed:\n${missed.join('\n')}`)
process.exitCode = missed.length === 0 ? 0 : 1
