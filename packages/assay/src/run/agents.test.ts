/** Trials in workspaces, from setting up the case to its grades, with scripts as agents. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { fakeCase, fakeSuite } from '../../test/fakes.ts'
import { hasBubblewrap } from '../../../sandbox/test/sandboxed.ts'
import type { Case, GraderConfig, Json, Trial, WorkspacePlan } from '@assay/contract'
import { readTrials } from '../log/index.ts'
import { commandSubject } from '../subject/index.ts'
import type { RunOptions } from './run-options.ts'
import { regradable } from './resume/regrade.ts'
import { run } from './run.ts'

let outer: string

beforeEach(() => {
  outer = mkdtempSync(join(tmpdir(), 'assay-agents-'))
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(outer, { recursive: true, force: true })
})

const grader = (type: string, options: Json): GraderConfig => ({
  type,
  name: type,
  weight: 1,
  required: false,
  negate: false,
  options,
})

const CHECK = grader('run', {
  command: ['sh', 'check.sh'],
  input: '',
  env: {},
  exitCode: 0,
  flags: '',
  memoryMb: 256,
})

const plan = (change: Partial<WorkspacePlan> = {}): WorkspacePlan => ({
  git: null,
  folder: null,
  setup: [],
  setupTimeoutMs: 20_000,
  ignore: [],
  protect: [],
  hidden: { 'check.sh': 'test "$(cat out.txt)" = done' },
  ...change,
})

const at = (change: Partial<WorkspacePlan> = {}, more: Partial<Case> = {}): Case =>
  fakeCase('c', { workspace: plan(change), graders: [CHECK], files: { 'in.txt': 'in' }, ...more })

const agent = (script: string, id = 'agent') =>
  commandSubject({ id, argv: ['sh', '-c', script], promptAs: 'stdin' })

async function go(one: Case, script: string, options: Partial<RunOptions> = {}) {
  const folder = join(outer, 'run')
  const { ended } = await run({
    suites: [fakeSuite([one])],
    subjects: [agent(script)],
    folder,
    trials: 1,
    maxErrors: 1,
    ...options,
  })
  const trials: Trial[] = []
  await readTrials(folder, (trial) => trials.push(trial))
  return { ended, folder, trials, trial: trials.at(-1) as Trial }
}

describe.skipIf(!hasBubblewrap)('a trial in a workspace', () => {
  it('is graded with the hidden files, which the agent has not seen', async () => {
    const { trial } = await go(at(), 'ls; pwd; cat in.txt; echo done > out.txt; rm in.txt')
    expect(trial).toMatchObject({ outcome: 'passed', sandbox: 'bubblewrap' })
    expect(trial.answer).toBe('in.txt\n/workspace\nin')
    const { changes } = JSON.parse(trial.diff as string) as { changes: { path: string }[] }
    expect(changes).toMatchObject([
      { path: 'in.txt', change: 'deleted' },
      { path: 'out.txt', change: 'added', text: 'done\n' },
    ])
  })

  it('is set up once for all trials of its case, and no trial sees another', async () => {
    const { trials } = await go(
      at({ setup: ['date +%N > stamp'] }),
      'cat stamp; ls; echo done > out.txt; echo x > stamp',
      { trials: 3 },
    )
    expect(trials.map(({ outcome }) => outcome)).toEqual(['passed', 'passed', 'passed'])
    expect(new Set(trials.map(({ answer }) => answer)).size).toBe(1)
    expect(trials[0]?.answer).toMatch(/^\d+\nin.txt\nstamp$/)
  })

  it('fails as tampered where the agent changes what is protected', async () => {
    const { trial } = await go(at({ protect: ['in.*'] }), 'echo done > out.txt; echo x >> in.txt')
    expect(trial).toMatchObject({
      outcome: 'failed',
      reason: { code: 'tampered', text: 'changed what must stay as it is: in.txt' },
    })
    expect(trial.diff).toBeDefined()
  })

  it('fails at a limit, and keeps what was done until then', async () => {
    const call = (id: number): string =>
      `echo '{"type":"tool-call","id":"${id}","name":"t","args":{}}'`
    const { trial } = await go(
      at({}, { limits: { turns: null, toolCalls: 1, tokens: null, usd: null } }),
      `echo done > out.txt; ${call(1)}; ${call(2)}; sleep 60`,
    )
    expect(trial).toMatchObject({ outcome: 'failed', reason: { code: 'over-limit' } })
    expect(JSON.parse(trial.trajectory as string)).toMatchObject({
      steps: [{ kind: 'message' }, { name: 't' }, { name: 't' }],
    })
    expect(trial.diff).toContain('out.txt')
  })

  it('is errored where the workspace cannot be set up, with what the command said', async () => {
    const { trial } = await go(at({ setup: ['echo no such thing >&2; exit 3'] }), 'true')
    expect(trial).toMatchObject({ outcome: 'errored', reason: { code: 'workspace-failed' } })
    expect(trial.reason?.text).toMatch(/no such thing/)
  })

  it('leaves its folder with --keep, and nothing without', async () => {
    // A temporary folder for this test only, because other tests use the system's at the same time.
    const temporary = join(outer, 'tmp')
    mkdirSync(temporary)
    for (const path of [outer, temporary]) chmodSync(path, 0o755)
    vi.stubEnv('TMPDIR', temporary)
    const { folder } = await go(at(), 'echo done > out.txt', { keepWorkspaces: true })
    const [kept = ''] = readdirSync(join(folder, 'workspaces'))
    expect(readFileSync(join(folder, 'workspaces', kept, 'out.txt'), 'utf8')).toBe('done\n')
    expect(existsSync(join(folder, 'workspaces', kept, 'check.sh'))).toBe(false)
    expect(readdirSync(temporary)).toEqual([])
  })

  it('is graded again from its record alone, by other graders', async () => {
    const { folder } = await go(at(), 'echo done > out.txt')
    const changed = at({ hidden: { 'check.sh': 'test "$(cat out.txt)" = other' } })
    const again = regradable(folder, [fakeSuite([changed])])
    const other = join(outer, 'again')
    const { tally } = await run({ ...again, regrade: folder, folder: other, trials: 1 })
    expect(tally.counts()).toMatchObject({ failed: 1, errored: 0 })
    const trials: Trial[] = []
    await readTrials(other, (trial) => trials.push(trial))
    expect(trials[0]).toMatchObject({ cost: { spentUsd: 0 }, trajectory: expect.anything() })
  })

  it('goes through all turns of a case in one folder', async () => {
    const { trial } = await go(
      at({}, { turns: ['first', 'second'] }),
      'cat >> out.txt; echo >> out.txt; cat out.txt',
    )
    expect(trial.answer).toBe('first\nsecond')
  })
})

describe.skipIf(!hasBubblewrap)('an agent that takes all there is', () => {
  const LIMITED = /^(?:control groups|scopes of systemd|limits of each process)/

  it('has failed and is not an error, and the record says what limited it', async () => {
    const memory = `node -e 'const all = []; for (;;) all.push(Buffer.alloc(2 ** 22, 1))'`
    const files = `node -e 'for (;;) require("fs").openSync("/dev/null")'`
    const processes = 'bomb() { bomb | bomb & bomb; }; bomb; sleep 60'
    // The last one never ends by itself, and keeps every core busy until then.
    for (const [script, agentTimeoutMs] of [
      [`ulimit -v 4000000; ${memory}`, 3000],
      [files, 3000],
      [processes, 1000],
    ] as const) {
      rmSync(join(outer, 'run'), { recursive: true, force: true })
      const { trial, folder } = await go(at(), script, { agentTimeoutMs })
      expect(trial).toMatchObject({ outcome: 'failed' })
      const { revisions } = JSON.parse(readFileSync(join(folder, 'run.json'), 'utf8')) as {
        revisions: { programLimits: string }[]
      }
      expect(revisions[0]?.programLimits).toMatch(LIMITED)
    }
  })
})
