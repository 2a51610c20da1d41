import { describe, expect, it } from 'vitest'
import { fakeSuite } from '../../../test/fakes.ts'
import { withoutSandbox } from './code-setup.ts'

const suite = fakeSuite(3)
const [first] = suite.cases
const code = { type: 'code', name: 'code', weight: 1, required: false, negate: false, options: {} }
const mixed = {
  ...suite,
  cases: suite.cases.map((one) => (one === first ? { ...one, graders: [code] } : one)),
}

describe('where there is no sandbox', () => {
  it('the error says which cases cannot run, why, and how the others run', () => {
    const [a, b, c] = suite.cases.map(({ id }) => id)
    expect(withoutSandbox([mixed], false, 'there is no sandbox for macOS yet')).toBe(
      `not started, because this run needs a sandbox for code in 1 of 3 cases (${a}): there is no sandbox for macOS yet
Without a sandbox, the other cases run: --case ${b},${c}`,
    )
  })

  it('workspaces are named, and then no case runs without it', () => {
    expect(withoutSandbox([suite], true, 'none here')).toBe(
      'not started, because this run needs a sandbox for agents and workspaces: none here',
    )
  })
})
