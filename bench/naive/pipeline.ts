/**
 * The pipelines that grading is held against: what somebody does who has a folder for each answer and the
 * usual commands, without a sandbox. Each language is one file that says which commands; here they are run
 * and their processor time is counted. An answer passes where it compiles and its tests end with code 0.
 * Commands that come after a failed one are not run and cost nothing.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Case } from '@assay/contract'
import { Group, type Step } from '../cpu.ts'

export interface Sample {
  /** Case and answer: `slugify reference`, `slugify 2`. */
  readonly id: string
  readonly case: Case
  readonly code: string
  /** Further files of the answer. */
  readonly beside: Readonly<Record<string, string>>
}

export interface Command {
  readonly name: string
  readonly argv: readonly [string, ...string[]]
  readonly env?: NodeJS.ProcessEnv
  /** Only every so many samples: a figure to compare with, not a part of the verdict. */
  readonly every?: number
}

/** What is done with one sample, in its own folder. */
export interface Commands {
  readonly files: Readonly<Record<string, string>>
  /** The first decides. */
  readonly compile: readonly [Command, ...Command[]]
  readonly test: Command & {
    /** Run by another runner than the pipeline's, for the verdict alone: its time is not counted. */
    readonly foreign?: true
  }
  readonly lint: readonly Command[]
}

export interface Naive {
  readonly language: string
  /** Pipelines by name: the names of their commands, and how many times what is measured they must cost. */
  readonly pipelines: readonly {
    readonly name: string
    readonly commands: readonly string[]
    readonly target: number | null
  }[]
  /** Installs what is needed below a folder that all samples are in. */
  prepare(root: string): void
  commands(sample: Sample, root: string): Commands
}

export interface NaiveResult {
  readonly passed: ReadonlyMap<string, boolean>
  /** Mean processor time of each command for one sample. */
  readonly cpuMs: ReadonlyMap<string, number>
  /** What was said about a sample, for who asks why a verdict differs. */
  readonly said: ReadonlyMap<string, string>
}

const COMPILE_MS = 60_000
/** More than the shipped suites give a sample on the clock (8 s): a runner has a start of its own. */
const TEST_MS = 20_000

/** Runs all samples, as many at once as there are cores. Those in `endless` are not counted. */
export async function runNaive(
  naive: Naive,
  samples: readonly Sample[],
  endless: ReadonlySet<string>,
): Promise<NaiveResult> {
  const root = mkdtempSync(join(tmpdir(), 'assay-naive-'))
  const passed = new Map<string, boolean>()
  const said = new Map<string, string>()
  const totals = new Map<string, { cpuMs: number; samples: number }>()
  const queue = [...samples.entries()]

  async function work(): Promise<void> {
    const group = new Group()
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const [at, sample] = next
      const cwd = join(root, String(at))
      const { files, compile, test, lint } = naive.commands(sample, root)
      for (const [path, content] of Object.entries(files)) {
        mkdirSync(dirname(join(cwd, path)), { recursive: true })
        writeFileSync(join(cwd, path), content)
      }
      const take = async (command: Command, limitMs: number, runs = true): Promise<boolean> => {
        const { name, argv, env, every = 1 } = command
        if (at % every !== 0) return true
        const step: Step = { argv, cwd, limitMs, ...(env === undefined ? {} : { env }) }
        const spent = runs ? await group.run(step) : { ok: false, cpuMs: 0, said: '', late: false }
        if (spent.said !== '') said.set(sample.id, spent.said)
        if (endless.has(sample.id) || (command as Commands['test']).foreign) return spent.ok
        const total = totals.get(name) ?? { cpuMs: 0, samples: 0 }
        totals.set(name, { cpuMs: total.cpuMs + spent.cpuMs, samples: total.samples + 1 })
        return spent.ok
      }
      const [first, ...others] = compile
      const compiled = await take(first, COMPILE_MS)
      for (const command of others) await take(command, COMPILE_MS)
      for (const command of lint) await take(command, COMPILE_MS, compiled)
      passed.set(sample.id, (await take(test, TEST_MS, compiled)) && compiled)
      rmSync(cwd, { recursive: true, force: true })
    }
    await group.close()
  }

  try {
    naive.prepare(root)
    await Promise.all(Array.from({ length: availableParallelism() }, work))
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
  const means = [...totals].map(([name, { cpuMs, samples: n }]) => [name, cpuMs / n] as const)
  return { passed, cpuMs: new Map(means), said }
}
