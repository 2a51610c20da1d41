/**
 * Tests two rules for each language and for `run`. On a machine with too few resources, a right answer never fails.
 * An answer that uses up a resource on purpose has failed and is not an error, on any machine. Control groups
 * simulate the machines, so this needs root and control groups of version 1. A process that outlives its grading keeps
 * its group from being removed, which fails the test (`starved.ts`).
 */
import { describe, expect, it } from 'vitest'
import { codeHogs, rightCode, rightRun, runHogs } from './gradings.ts'
import type { GradedStarved, Grading } from './grade-starved.ts'
import { canStarve, gradeStarved, type StarvingLimits } from './starved.ts'

const LANGUAGES = ['typescript', 'python', 'rust'] as const
const MIB = 2 ** 20

/** Machines from one with almost no resources to one that has nearly enough. */
const MACHINES: readonly StarvingLimits[] = [
  { processes: 30 },
  { processes: 45 },
  { processes: 70 },
  { memoryBytes: 150 * MIB },
  { memoryBytes: 300 * MIB },
]

/** The machines on which answers try to use up a resource. */
const HOGGED: readonly (readonly [string, StarvingLimits])[] = [
  ['with enough', {}],
  ['with 45 processes', { processes: 45 }],
  ['with 500 MB', { memoryBytes: 500 * MIB }],
]

const named = (machine: StarvingLimits): string =>
  Object.entries(machine)
    .map(([what, most]) => `${most} ${what}`)
    .join()

const told = (graded: readonly GradedStarved[], wrong: (one: GradedStarved) => boolean): string[] =>
  graded.filter(wrong).map(({ name, outcome, text }) => `${name} is ${outcome}: ${text}`)

describe.runIf(canStarve)('a machine with too little', () => {
  const passed = new Map<string, number>()

  it.each(
    MACHINES.flatMap((machine) =>
      [...LANGUAGES, 'run' as const].map((kind) => [named(machine), kind, machine] as const),
    ),
  )('of %s never fails a right answer (%s)', async (name, kind, machine) => {
    const right = kind === 'run' ? rightRun(6) : rightCode(kind, 6)
    let graded: readonly GradedStarved[]
    try {
      graded = await gradeStarved(machine, right)
    } catch (error) {
      // Assay itself cannot run on this machine. Nothing was graded, so no answer failed.
      expect(String(error)).toMatch(/Command failed/)
      return
    }
    expect(told(graded, ({ outcome }) => outcome === 'failed')).toEqual([])
    passed.set(`${name} ${kind}`, graded.filter(({ outcome }) => outcome === 'passed').length)
  })

  it('passes right answers of every kind, where it has nearly enough', () => {
    for (const kind of [...LANGUAGES, 'run'])
      expect([...passed].filter(([name]) => name.endsWith(kind)).some(([, n]) => n === 6)).toBe(
        true,
      )
  })
})

describe.runIf(canStarve)('an answer that takes all there is', () => {
  it.each(HOGGED)('has failed and is not an error, on a machine %s', async (_, machine) => {
    const hogs: Grading[] = [...codeHogs(), ...runHogs()]
    for (const hog of hogs) {
      let graded: readonly GradedStarved[]
      try {
        graded = await gradeStarved(machine, [hog])
      } catch (error) {
        throw new Error(`${hog.name}: ${String(error).slice(-500)}`, { cause: error })
      }
      expect(told(graded, ({ outcome }) => outcome !== 'failed')).toEqual([])
    }
  })
})
