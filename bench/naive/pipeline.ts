/**
 * The pipelines that Assay's grading is compared with. A pipeline does what a person would do: it makes one folder
 * for each answer and runs the usual commands there, without a sandbox. Each language has its own file, which says
 * which commands it uses. This file runs them and counts their processor time. An answer passes if it compiles and
 * its tests end with exit code 0. After a command fails, the following commands are not run and cost nothing.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Case } from '@assay/contract'
import { Group, type Step } from '../cpu.ts'

export interface Sample {
  /** The name of a case and an answer, such as `slugify reference` or `slugify 2`. */
  readonly id: string
  readonly case: Case
  readonly code: string
  /** More files of the answer. */
  readonly beside: Readonly<Record<string, string>>
}

export interface Command {
  readonly name: string
  readonly argv: readonly [string, ...string[]]
  readonly env?: NodeJS.ProcessEnv
  /**
   * If set, the command is run only for every n-th sample. Its cost is reported for comparison, and its result is not
   * part of the verdict.
   */
  readonly every?: number
}

/** The commands that are run for one sample, in a folder that only this sample uses. */
export interface Commands {
  readonly files: Readonly<Record<string, string>>
  /**
   * Only the result of the first command decides whether the sample compiles. The others are measured for comparison.
   */
  readonly compile: readonly [Command, ...Command[]]
  readonly test: Command & {
    /**
     * Set if another test runner than the pipeline's own runs this sample. Then only the verdict is used, and the time
     * is not counted.
     */
    readonly foreign?: true
  }
  readonly lint: readonly Command[]
}

export interface Naive {
  readonly language: string
  /**
   * The pipelines by name. Each has the names of its commands, and the factor by which it must cost more than Assay.
   */
  readonly pipelines: readonly {
    readonly name: string
    readonly commands: readonly string[]
    readonly target: number | null
  }[]
  /** Installs the tools of the pipeline in `root`, which contains the folders of all samples. */
  prepare(root: string): void
  commands(sample: Sample, root: string): Commands
}

export interface NaiveResult {
  readonly passed: ReadonlyMap<string, boolean>
  /** The mean processor time of each command for one sample. */
  readonly cpuMs: ReadonlyMap<string, number>
  /** The output of the commands for each sample. It helps to find out why a verdict differs. */
  readonly said: ReadonlyMap<string, string>
}

const COMPILE_MS = 60_000
/**
 * The time limit for the tests of a sample. In the shipped suites it is 8 s. A plain test runner gets more, because
 * starting it takes time.
 */
const TEST_MS = 20_000

/** Runs all samples, as many at once as there are cores. The time of samples in `endless` is not counted. */
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
