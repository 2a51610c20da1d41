import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pico from 'picocolors'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fakeSubject, fakeSuite, saying } from '../../../../test/fakes.ts'
import { TERMINAL_CONTROLS } from '../../../../test/hostile-names.ts'
import { richTrajectory } from '../../../../test/rich-trajectory.ts'
import { run } from '../../../run/index.ts'
import { showCommand, type ShowCommandOptions } from './show.ts'

let root: string
let folder: string
/** Long enough to be stored as a blob, with control characters that a terminal must not get. */
const long = `wrong \u001B[31m\u202E${'x'.repeat(10_000)} the end`

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'assay-show-'))
  folder = join(root, 'run')
  const subject = fakeSubject(({ case: one, index }) =>
    saying(one.id === 'c1' && index === 1 ? long : 'right', {
      ...(one.id === 'c2' && {
        trajectory: richTrajectory(),
        stream: '{"type":"system"}\n',
      }),
    }),
  )
  await run({ suites: [fakeSuite(3)], subjects: [subject], folder, trials: 2 })
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

async function show(
  options: Omit<ShowCommandOptions, 'run'> & { run?: string } = {},
): Promise<string> {
  let text = ''
  const output = {
    out: (more: string) => void (text += more),
    err: (more: string) => void (text += more),
    isTerminal: false,
    ready: () => null,
    outIsTerminal: false,
    width: 80,
    colors: pico.createColors(false),
  }
  expect(await showCommand({ run: folder, ...options }, output)).toBe(0)
  expect(text).not.toMatch(TERMINAL_CONTROLS)
  return text
}

describe('assay show', () => {
  it('lists the cases of a run, the one that failed first', async () => {
    const text = await show()
    expect(text).toMatch(/^fake passes 83\.3% of its trials/)
    expect(text).toMatch(/^case +trials +passed +why\nc1 +✓✗ +1\/2 +wrong-answer ×1\nc0 /m)
  })

  it('shows a trial from the log with its text from the blob, cut or in full', async () => {
    const short = await show({ case: 'c1' })
    expect(short).toContain('trial 1 of c1 by fake (suite)')
    expect(short).toContain('Say right to c1.')
    expect(short).not.toContain('the end')
    expect(await show({ case: 'c1', index: '1', full: true })).toContain(' the end\n')
  })

  it('gives the same to machines, with every text in its place', async () => {
    const list = JSON.parse(await show({ json: true })) as { cases: { case: string }[] }
    expect(list.cases.map((one) => one.case)).toEqual(['c1', 'c0', 'c2'])
    const one = JSON.parse(await show({ case: 'c1', json: true })) as {
      cases: { turns: string[]; trials: { answer: string }[] }[]
    }
    expect(one.cases[0]?.turns).toEqual(['Say right to c1.'])
    const { trial } = JSON.parse(await show({ case: 'c1', index: '1', json: true })) as {
      trial: { answer: string; grades: { name: string }[]; caseHash: string }
    }
    expect(trial).toMatchObject({ answer: long, caseHash: 'hash-c1' })
    expect(one.cases[0]?.trials[1]?.answer).toBe(trial.answer)
  })

  it('has what an agent did, for people step by step, for machines as it is recorded', async () => {
    const text = await show({ case: 'c2', index: '0' })
    expect(text).toContain('  +2.1s  Bash       npm test → failed: FAIL')
    const { trial } = JSON.parse(await show({ case: 'c2', index: '0', json: true })) as {
      trial: Record<string, unknown>
    }
    expect(trial).toMatchObject({
      trajectory: richTrajectory(),
      stream: '{"type":"system"}\n',
    })
  })

  it('says what a wrong number or a case in the place of a run should have been', async () => {
    await expect(show({ case: 'c1', index: '-1' })).rejects.toThrow('they count from 0')
    await expect(show({ case: 'c1', index: 'x' })).rejects.toThrow('"x" is not a number of a trial')
    await expect(show({ run: 'c1' })).rejects.toThrow('assay show latest CASE')
  })
})
