import pico from 'picocolors'
import { describe, expect, it } from 'vitest'
import { fakeSource, fakeTrial, fakeTrials } from '../../../test/fake-source.ts'
import { fakeCase, fakeSuite } from '../../../test/fakes.ts'
import { richDiff, richSteps, richTrajectory } from '../../../test/rich-trajectory.ts'
import { HOSTILE_NAMES, TERMINAL_CONTROLS } from '../../../test/hostile-names.ts'
import type { Step, Trajectory, Trial, WorkspaceDiff } from '@assay/contract'
import type { ReportSource } from '../formats/format.ts'
import { select, type Wanted } from './show-select.ts'
import { commandOf, renderShown } from './show.ts'
import { displayWidth } from '../../text/table.ts'

const reason = { code: 'tests-failed', text: 'code: 1 of 2 tests failed: adds' } as const
const trial = (change: Partial<Trial>): Trial =>
  fakeTrial({ suite: 'suite', case: 'adds', subject: 'x', index: 0, ...change })

const failed = trial({
  index: 1,
  outcome: 'failed',
  score: 0.65,
  reason,
  answer: 'Here it is:\n```ts\nexport const add = 1\n```\n',
  grades: [
    {
      name: 'code',
      type: 'code',
      score: 0.65,
      passed: false,
      weight: 2,
      required: true,
      reason: '1 of 2 tests failed: adds',
      evidence: 'failed tests:\nadds: 3 is not 4',
      integrity: 'isolated',
      details: [{ name: 'tests', type: 'code', score: 0.5, passed: false, weight: 0.5 }],
    },
  ],
  usage: { input: 12, cacheRead: 3, cacheWrite: 0, output: 7, reasoning: 2 },
  attempts: [
    { status: 429, error: 'slow down', usd: null, ms: 30, waitMs: 2000 },
    { status: 200, usd: 0.001, ms: 900, waitMs: 0 },
  ],
  sandbox: 'bubblewrap',
})

/** A trajectory in which every text field has this text. */
const evilTrajectory = (evil: string): Trajectory => {
  const texts = { text: evil, name: evil, path: evil, type: evil, raw: evil, result: evil }
  const steps = richSteps.map((step) => ({ ...step, ...texts, args: { [evil]: evil } }) as Step)
  const usage = richTrajectory().usage['model-large']
  return richTrajectory({
    ...{ steps, format: evil, model: evil, agentVersion: evil, oddities: [evil] },
    ...(usage !== undefined && { usage: { [evil]: usage } }),
  })
}
const evilDiff = (evil: string): WorkspaceDiff =>
  richDiff({
    changes: [
      { path: evil, change: 'changed', patch: evil },
      { path: evil, change: 'added', mode: '120000', text: evil },
    ],
  })

const source = fakeSource(
  [trial({}), failed, trial({ case: 'adjoins' }), trial({ case: 'sorts' })],
  {},
  { suites: [fakeSuite([fakeCase('adds', { turns: ['Add two numbers.', 'Now three.'] })])] },
)

async function show(
  wanted: Wanted = {},
  { from = source, full = false, most = 30, width = 80 } = {} as {
    from?: ReportSource
    full?: boolean
    most?: number
    width?: number
  },
): Promise<string> {
  const colors = pico.createColors(false)
  const options = { width, colors, program: 'assay', run: 'latest', full, text: from.text }
  return renderShown(await select(from, wanted, most), from.report, options)
}

describe('without a case', () => {
  it('lists every case, the worst first, and the command that says why', async () => {
    const text = await show()
    expect(text).toMatch(/^x passes 83.3% of its trials/)
    expect(text).toMatch(/^case +trials +passed +why\nadds +✓✗ +1\/2 +tests-failed ×1\n/m)
    expect(text).toMatch(/^sorts +✓ +1\/1$/m)
    expect(text).toContain('why: assay show latest adds\n')
  })

  it('says how many it left out, and names no command where nothing failed', async () => {
    const from = fakeSource([trial({}), trial({ case: 'b' }), trial({ case: 'c' })])
    const text = await show({}, { from, most: 2 })
    expect(text).toContain('1 further row, none worse: --full lists all')
    expect(text).not.toContain('why:')
  })

  it('fits the terminal, whatever the names', async () => {
    const from = fakeSource(
      fakeTrials({ subjects: HOSTILE_NAMES.slice(0, 4), cases: HOSTILE_NAMES, trials: 30 }),
    )
    const text = await show({}, { from })
    for (const line of text.split('\n').filter((one) => !one.startsWith('why: ')))
      expect(displayWidth(line)).toBeLessThanOrEqual(80)
    expect(text).not.toMatch(TERMINAL_CONTROLS)
  })
})

describe('a case', () => {
  it('shows every trial in a line, then the first that failed in full', async () => {
    const text = await show({ case: 'adds' })
    expect(text).toContain('x: 1 of 2 scored trials passed\n    0 ✓ 1.00  ✓ equals 1\n')
    expect(text).toContain('    1 ✗ 0.65  tests-failed: code: 1 of 2 tests failed: adds\n')
    expect(text).toContain('trial 1 of adds by x (suite)\nfailed: tests-failed: ')
    expect(text).toContain('another trial: assay show latest adds INDEX\n')
  })

  it('says so where none failed', async () => {
    const text = await show({ case: 'sorts' })
    expect(text).toContain('no trial failed\none in full: assay show latest sorts 0')
  })

  it('shows one that errored where none failed', async () => {
    const text = await show(
      { case: 'adds' },
      {
        from: fakeSource([
          trial({ outcome: 'errored', reason: { code: 'provider-error', text: 'status 500' } }),
        ]),
      },
    )
    expect(text).toContain('errored: provider-error: status 500')
    expect(text).toContain('answer\n  (none)')
    expect(text).toContain('the run does not hold what was asked')
  })
})

describe('a trial', () => {
  it('is shown with all that is known of it', async () => {
    const text = await show({ case: 'adds', index: 1 })
    for (const said of [
      'score 0.65 · $0.0010 for the answer · 12 tokens in · 3 read from cache · 7 out\n(2 reasoning)',
      'turn 1 of 2\n  Add two numbers.\n',
      'turn 2 of 2\n  Now three.\n',
      'answer\n  Here it is:\n  ```ts\n  export const add = 1\n  ```\n',
      '✗ code 0.65 (weight 2, required, integrity isolated)\n    1 of 2 tests failed: adds\n',
      '    ✗ tests 0.5 (weight 0.5)\n',
      '    evidence:\n      failed tests:\n      adds: 3 is not 4\n',
      '2 requests\n  1 · status 429 · slow down · 30 ms · then waited 2.0 s\n  2 · status 200 · answered',
      'sandbox bubblewrap',
    ])
      expect(text).toContain(said)
  })

  it('of an agent is shown step by step, then what it changed', async () => {
    const acted = trial({
      trajectory: JSON.stringify(richTrajectory()),
      diff: JSON.stringify(richDiff()),
    })
    const from = fakeSource([acted])
    const text = await show({ case: 'adds', index: 0 }, { from })
    for (const said of [
      '3 turns · 3 tool calls (1 failed) · $0.0081\n  reported by the agent · first token after 1.2 s',
      '   +2.1s  Bash       npm test → failed: FAIL src/add.test.ts adds: expe… (3.4 s)\n',
      '   +6.4s  changed    src/add.ts\n',
      '  the user’s turn 2\n   +7.1s  user       Now write it down.\n',
      '   +8.3s  Write      /workspace/NOTES.md → (no result) ($0.0013)\n',
      '  M logo.png (binary, 4 bytes)\n  D old.txt +0 −1\n  M run.sh (was a file, is an executable',
      '  M src/add.ts +1 −1\n',
    ])
      expect(text).toContain(said)
    const full = await show({ case: 'adds', index: 0 }, { from, full: true })
    for (const said of [
      '          First I look at what fails.\n          Then I mend it.\n',
      '          result:\n            FAIL src/add.test.ts\n              adds: expected 3',
      '  M src/add.ts +1 −1\n    @@ -1,2 +1,2 @@\n    -export const add =',
    ])
      expect(full).toContain(said)
  })

  it('of an agent behind the gateway is shown with its requests, its network and its claims', async () => {
    const usage = { input: 100, cacheRead: 0, cacheWrite: 0, output: 10, reasoning: 0 }
    const acted = trial({
      network: 'packages.example.com',
      trajectory: JSON.stringify(
        richTrajectory({
          steps: [{ kind: 'skill', at: 1900, turn: 0, name: 'test-first', evidence: 'claimed' }],
          requests: [{ at: 500, model: 'm', status: 200, usage, usd: 0.02, ms: 250, attempts: 2 }],
        }),
      ),
    })
    const text = await show({ case: 'adds', index: 0 }, { from: fakeSource([acted]) })
    for (const said of [
      'network packages.example.com',
      '   +0.5s  to the model  m: 100 in, 10 out; sent 2 times (250 ms, $0.020)\n',
      '   +1.9s  skill         test-first (only the agent says so)\n',
    ])
      expect(text).toContain(said)
  })

  it('of an agent that left what cannot be kept says so, by older records too', async () => {
    const evil = HOSTILE_NAMES.join(' ')
    const oddities = ['tests/\ufffdbad.py: its name is not valid UTF-8', evil]
    const from = fakeSource([
      trial({
        diff: JSON.stringify(richDiff({ changes: [], unkept: ['tests/\ufffdbad.py'], oddities })),
      }),
      trial({ index: 1, diff: JSON.stringify(richDiff({ oddities })) }),
    ])
    const text = await show({ case: 'adds', index: 0 }, { from })
    expect(text).toContain(
      'what it changed\n  1 file with an unreadable name or of a special kind is not part of the result:\n    tests/\ufffdbad.py: its name is not valid UTF-8\n',
    )
    expect(text).not.toMatch(TERMINAL_CONTROLS)
    for (const line of text.split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(80)
    expect(await show({ case: 'adds', index: 1 }, { from })).toContain(
      '  2 files with unreadable names or of a special kind are not part of the result:\n',
    )
  })

  it('of an agent that did very much is cut in the middle, one that cannot be read says so', async () => {
    const steps = Array.from({ length: 900 }, (_, at) => ({
      ...{ kind: 'error', turn: 0, text: HOSTILE_NAMES.join(' ') },
      at: 1000 * at,
    })) as Step[]
    const changes = HOSTILE_NAMES.map((path) => ({ path, change: 'deleted' }) as const)
    const from = fakeSource([
      trial({
        trajectory: JSON.stringify(richTrajectory({ steps })),
        diff: JSON.stringify(richDiff({ changes })),
      }),
      trial({ index: 1, trajectory: '{"version":1,', diff: '[]' }),
    ])
    const text = await show({ case: 'adds', index: 0 }, { from })
    expect(text.match(/ error /g)).toHaveLength(200)
    expect(text).toContain('  … 700 steps here: --full shows all\n')
    for (const line of text.split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(80)
    expect(text).not.toMatch(TERMINAL_CONTROLS)
    expect(await show({ case: 'adds', index: 1 }, { from })).toContain(
      'what the agent did\n  (not shown: its record cannot be read; --json has it as it is)\n',
    )
  })

  it('has the requests that the gateway saw between its steps', async () => {
    const request = { model: 'm-1', status: 200, usd: 0.02, ms: 900 }
    const usage = { input: 100, cacheRead: 0, cacheWrite: 0, output: 10, reasoning: 0 }
    const requests = [
      { ...request, at: 200, usage, attempts: 3 },
      { ...request, at: 99_000, usage: null, usd: null, status: 500, error: 'no \u001b[31mluck' },
    ]
    const from = fakeSource([trial({ trajectory: JSON.stringify(richTrajectory({ requests })) })])
    const lines = (await show({ case: 'adds', index: 0 }, { from })).split('\n')
    const at = (words: RegExp): number => lines.findIndex((line) => words.test(line))
    expect(lines[at(/to the model/)]).toMatch(
      /m-1: .*100.*10.*; sent 3 times \(900 ms, \$0\.0200?\)/,
    )
    expect(at(/to the model/)).toBeGreaterThan(at(/Make the tests pass/))
    expect(at(/to the model/)).toBeLessThan(at(/First I look/))
    expect(lines.join('\n')).toMatch(/m-1: status 500, no .*luck/)
    expect(lines.join('\n')).not.toMatch(TERMINAL_CONTROLS)
  })

  it('is cut where it is long, and whole with --full', async () => {
    const blob = { blob: 'b'.repeat(64), bytes: 5_000_000 }
    const blobs = { [blob.blob]: 'y'.repeat(5_000_000) }
    const from = fakeSource([trial({ answer: blob })], {}, { blobs })
    const short = await show({ case: 'adds', index: 0 }, { from })
    expect(short.length).toBeLessThan(6000)
    expect(short).toContain('… cut here: --full shows all 5,000,000 bytes')
    const whole = await show({ case: 'adds', index: 0 }, { from, full: true })
    expect(whole).toContain('y'.repeat(5_000_000))
    const many = fakeSource([trial({ answer: 'z\n'.repeat(500) })])
    expect(
      (await show({ case: 'adds', index: 0 }, { from: many })).match(/^ {2}z$/gm),
    ).toHaveLength(60)
  })

  it('whose text is gone says so', async () => {
    const from = fakeSource([trial({ answer: { blob: 'gone', bytes: 9 } })])
    expect(await show({ case: 'adds', index: 0 }, { from })).toContain(
      'no longer in the run folder',
    )
  })

  it('sends nothing to the terminal that it would act on, wherever it stands', async () => {
    const evil = HOSTILE_NAMES.join('\n')
    const from = fakeSource(
      [
        trial({
          case: evil,
          subject: evil,
          suite: evil,
          outcome: 'failed',
          reason: { code: 'wrong-answer', text: evil },
          answer: evil,
          files: { [evil]: evil },
          diff: JSON.stringify(evilDiff(evil)),
          trajectory: JSON.stringify(evilTrajectory(evil)),
          sandbox: evil,
          attempts: [{ status: null, error: evil, usd: null, ms: 1, waitMs: 0 }],
          grades: [
            {
              name: evil,
              type: evil,
              score: 0,
              passed: false,
              weight: 1,
              reason: evil,
              evidence: evil,
            },
          ],
        }),
      ],
      {},
      { suites: [fakeSuite([fakeCase(evil, { turns: [evil] })], { id: evil })] },
    )
    for (const wanted of [{}, { case: evil }, { case: evil, index: 0 }])
      for (const full of [false, true])
        expect(await show(wanted, { from, full })).not.toMatch(TERMINAL_CONTROLS)
  })
})

describe('a name', () => {
  it('may be any start that only one has', async () => {
    expect(await show({ case: 'so' })).toContain('suite / sorts')
    await expect(show({ case: 'ad' })).rejects.toThrow(
      '"ad" is the start of 2 cases: adds, adjoins',
    )
    expect(await show({ case: 'adds', subject: 'x', suite: 'su' })).toContain('suite / adds')
  })

  it('that does not fit is answered with what was probably meant', async () => {
    await expect(show({ case: 'sotrs' })).rejects.toThrow('did you mean "sorts"?')
    await expect(show({ case: 'join' })).rejects.toThrow('did you mean "adjoins"?')
    await expect(show({ case: 'zzz' })).rejects.toThrow('it has adds, adjoins, sorts')
    await expect(show({ subject: 'yy' })).rejects.toThrow('no subject of this run')
    await expect(show({ case: 'adds', index: 2 })).rejects.toThrow(
      'has 2 trials of x, counted from 0',
    )
  })

  it('must say which where several fit', async () => {
    const from = fakeSource([
      trial({}),
      trial({ subject: 'y' }),
      trial({ suite: 'other', subject: 'y' }),
      trial({ suite: 'other' }),
    ])
    await expect(show({ case: 'adds' }, { from })).rejects.toThrow(
      'choose one with --suite: suite, other',
    )
    await expect(show({ case: 'adds', index: 0, suite: 'other' }, { from })).rejects.toThrow(
      'choose one with --subject: x, y',
    )
    expect(
      await show({ case: 'adds', index: 0, suite: 'other', subject: 'y' }, { from }),
    ).toContain('by y (other)')
  })

  it('of a trial that did not run says so', async () => {
    const from = fakeSource([trial({ index: 1 })])
    await expect(show({ case: 'adds', index: 0 }, { from })).rejects.toThrow(
      'planned and did not run',
    )
    expect(await show({ case: 'adds' }, { from })).toContain('· 1 planned trial has no result')
  })
})

describe('the next command', () => {
  const cell = (id: string) => ({
    suite: 's',
    subject: 'a b',
    report: {
      ...fakeSource([trial({ case: id })]).report.subjects[0]?.cases[0],
      case: id,
    } as never,
  })
  const command = (id: string, run = 'latest') =>
    commandOf({ program: 'assay', run }, cell(id), [], { subject: true, suite: false })

  it('can be pasted into a shell whatever the names are', () => {
    expect(command('plain-1')).toBe("assay show --subject 'a b' latest plain-1")
    expect(command("it's; rm -rf $(HOME)")).toBe(
      String.raw`assay show --subject 'a b' latest 'it'\''s; rm -rf $(HOME)'`,
    )
    expect(command('-rf')).toBe("assay show --subject 'a b' -- latest -rf")
    expect(command('a', '--full')).toBe("assay show --subject 'a b' ./--full a")
  })

  it('is not printed for a name that cannot be', () => {
    expect(command('\u001B[31m')).toBeNull()
    expect(command('a\nb')).toBeNull()
  })
})
