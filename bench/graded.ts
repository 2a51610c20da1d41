/**
 * Runs the grading that the benchmarks measure, in a separate process. Also contains functions that the tables of
 * several benchmarks share.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundleInto } from '../packages/assay/bundle.ts'
import { Group } from './cpu.ts'
import type { Sample } from './naive/pipeline.ts'
import type { Graded } from './rounds.ts'
import { answersOf, codeOf, loadBasics, type LanguageName } from './shipped.ts'
import { NODE_FLAGS } from './measure.ts'

const HOUR = 3_600_000

export type Spent = Graded & { readonly allMs: number; readonly allWallMs: number }

export const sum = <T>(list: readonly T[], of: (one: T) => number): number =>
  list.reduce((total, one) => total + of(one), 0)

export const figure = (value: number): string => value.toFixed(value < 20 ? 1 : 0)

let written: Promise<string> | undefined

/**
 * Returns the path of the grading program, bundled into one JavaScript file. If Node ran its TypeScript sources, the
 * time to strip their types would be counted as grading.
 */
const builtRounds = (): Promise<string> => (written ??= buildRounds())

async function buildRounds(): Promise<string> {
  const ownFolder = {
    name: 'own-folder',
    transform: (code: string, id: string): string | null =>
      id.startsWith(import.meta.dirname)
        ? code.replaceAll('import.meta.dirname', JSON.stringify(import.meta.dirname))
        : null,
  }
  await bundleInto(
    'bench',
    { rounds: join(import.meta.dirname, 'rounds.ts') },
    // The bundler reports modules that are imported both statically and dynamically. This is expected: the command
    // loads some modules late, and the grading program imports the same modules at once.
    { plugins: [ownFolder], expected: ['INEFFECTIVE_DYNAMIC_IMPORT'] },
  )
  return join(import.meta.dirname, '../packages/assay/dist/bench/rounds.js')
}

let compiled: string | undefined

/**
 * Returns the folder in which V8 caches the compiled program. The command has such a cache too. The first grading fills
 * it.
 */
function keptCompiled(): string {
  if (compiled !== undefined) return compiled
  const folder = mkdtempSync(join(tmpdir(), 'assay-bench-compiled-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return (compiled = folder)
}

/** Grades in a separate process that has its own control group. Returns the time and memory that it used. */
export async function graded(
  kind: 'rounds' | 'some',
  language: LanguageName,
  count: number,
  endless: readonly string[],
): Promise<Spent> {
  const folder = mkdtempSync(join(tmpdir(), 'assay-bench-'))
  const path = join(folder, 'graded.json')
  const program = await builtRounds()
  const group = new Group()
  try {
    writeFileSync(path, JSON.stringify({ endless }))
    const began = performance.now()
    const spent = await group.run({
      argv: [
        process.execPath,
        ...NODE_FLAGS,
        program,
        kind,
        language,
        String(count),
        path,
        group.folder,
      ],
      cwd: process.cwd(),
      env: { NODE_COMPILE_CACHE: keptCompiled() },
      limitMs: HOUR,
    })
    if (!spent.ok) throw new Error(`grading ${language} failed:\n${spent.said}`)
    return {
      ...(JSON.parse(readFileSync(path, 'utf8')) as Graded),
      allMs: spent.cpuMs,
      allWallMs: performance.now() - began,
    }
  } finally {
    await group.close()
    rmSync(folder, { recursive: true })
  }
}

export async function samplesOf(language: LanguageName): Promise<Sample[]> {
  const suite = await loadBasics(language)
  return suite.cases.flatMap((one) =>
    answersOf(one).map(([id, answer]) => ({ id, case: one, ...codeOf(one, answer) })),
  )
}
