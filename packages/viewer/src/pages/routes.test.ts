import fc from 'fast-check'
import { expect, it } from 'vitest'
import { caseHash, compareHash, matrixHash, routeOf, runHash, trialHash } from './routes.ts'
import { anyCharacter } from '../../../../test/any-character.ts'

it('an address leads back to what it was made from, whatever the names', () => {
  const name = fc.string({ unit: anyCharacter, minLength: 1 }).map((text) => text.toWellFormed())
  fc.assert(
    fc.property(name, name, name, name, fc.nat(999), (run, suite, one, subject, index) => {
      const trial = { suite, case: one, subject, index }
      expect(routeOf(trialHash(run, trial))).toEqual({ page: 'trial', run, trial })
      expect(routeOf(runHash(run, trial))).toEqual({ page: 'run', run, trial })
      expect(routeOf(caseHash(suite, one))).toEqual({ page: 'case', suite, case: one })
      const sides = { a: run, as: subject, b: suite, bs: null }
      expect(routeOf(compareHash(sides))).toEqual({ page: 'compare', sides })
      const state = {
        ...{ run: null, suite, case: one, only: 'failed' as const, index, from: 20, base: -1 },
        columns: [
          { run, subject },
          { run: one, subject: suite },
        ],
      }
      expect(routeOf(matrixHash(state))).toEqual({ page: 'matrix', state })
      expect(routeOf(runHash(run))).toEqual({ page: 'run', run, trial: null })
    }),
  )
})

it('any other address is the list of runs or unknown', () => {
  for (const address of ['', '#', '#/']) expect(routeOf(address)).toEqual({ page: 'runs' })
  for (const address of [
    '#/x',
    '#/runs',
    '#/runs/a/b',
    '#/runs/a/trial',
    '#/runs/%zz',
    '#/runs/a/trial?suite=s&case=c&subject=x&index=-1',
  ])
    expect(routeOf(address)).toEqual({ page: 'unknown' })
})
