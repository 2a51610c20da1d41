import { describe, expect, it } from 'vitest'
import { fakeCall, fakeTrajectory } from '../../../../test/fakes.ts'
import type { Step, Trajectory } from '@assay/contract'
import type { Seen, SeenCall } from '../../gateway/evidence.ts'
import type { AgentKind } from '../agent-kind.ts'
import { acp } from '../acp/acp.ts'
import { claude } from '../claude/claude.ts'
import { codex } from '../codex/codex.ts'
import { gemini } from '../gemini/gemini.ts'
import { withEvidence } from './with-evidence.ts'

const seenCall = (change: Partial<SeenCall>): SeenCall => ({
  at: 10,
  id: '',
  name: 'Bash',
  args: {},
  result: { text: 'ok', failed: null, at: 12 },
  ...change,
})

const settings = { model: null, args: [], mcpServers: { sums: { url: 'http://x', headers: {} } } }

function judged(kind: AgentKind, steps: readonly Step[], seen: Partial<Seen>): Trajectory {
  return withEvidence(
    fakeTrajectory([], { steps, turns: 9, lossy: true }),
    {
      seen: { calls: [], skills: [], isLossy: false, ...seen },
      requests: [],
      counts: { turns: 2 },
      models: [],
      figures: { usd: 0.5 },
    },
    { kind, settings, folder: '/workspace' },
  )
}

const at = (time: number, step: object): Step => ({ turn: 0, ...step, at: time }) as unknown as Step
const short = ({ steps }: Trajectory): string[] =>
  steps.map((step) => ('name' in step ? `${step.evidence ?? '?'} ${step.name}` : step.kind))

describe('what an agent tells, next to what was seen', () => {
  it('counts as seen by the id of the call, with the arguments and the result that were seen', () => {
    const told = at(11, {
      ...fakeCall('Bash', { args: { command: 'echo ok' }, result: 'forged' }),
      id: 'a',
    })
    const { steps, turns, lossy } = judged(claude, [told], {
      calls: [seenCall({ id: 'a', args: { command: 'rm x' } })],
    })
    expect(steps).toMatchObject([
      { name: 'Bash', args: { command: 'rm x' }, result: 'ok', evidence: 'seen' },
    ])
    expect({ turns, lossy }).toEqual({ turns: 2, lossy: undefined })
  })

  it('is a claim if nothing was seen of it, also a second time, and what was not told is added in time', () => {
    const call = fakeCall('Bash', { args: { command: 'ls' } })
    const trajectory = judged(
      claude,
      [at(11, call), at(12, call), at(13, { kind: 'skill', name: 'x' }), at(30, call)],
      { calls: [seenCall({ args: { command: 'ls' } }), seenCall({ at: 20, name: 'Write' })] },
    )
    expect(short(trajectory)).toEqual([
      'seen Bash',
      'claimed Bash',
      'claimed x',
      'seen Write',
      'claimed Bash',
    ])
  })

  it('uses a skill if a successful call or the text shows it', () => {
    const skill = (name: string) => at(15, { kind: 'skill', name })
    const trajectory = judged(claude, [skill('plugin:text'), skill('forged'), skill('failed')], {
      calls: [
        seenCall({ name: 'Skill', args: { skill: 'called' } }),
        seenCall({
          name: 'Skill',
          args: { skill: 'failed' },
          result: { text: '', failed: true, at: 1 },
        }),
        seenCall({ name: 'Skill', args: { skill: 'open' }, result: null }),
      ],
      skills: [{ name: 'text', at: 3 }],
    })
    expect(short(trajectory).filter((one) => !one.endsWith('Skill'))).toEqual([
      'seen called',
      'seen plugin:text',
      'claimed forged',
      'claimed failed',
    ])
  })

  it('has another form for Codex, whose stream names other tools than its model', () => {
    const command = '/bin/bash -lc \'echo "one"\''
    const patch = '*** Begin Patch\n*** Update File: add.js\n*** Add File: notes.md\n*** End Patch'
    const trajectory = judged(
      codex,
      [
        at(11, fakeCall('command_execution', { args: { command } })),
        at(12, fakeCall('command_execution', { args: { command: "/bin/bash -lc 'echo two'" } })),
        at(
          13,
          fakeCall('file_change', {
            args: {
              changes: [
                { path: '/workspace/add.js', kind: 'update' },
                { path: '/workspace/notes.md', kind: 'add' },
              ],
            },
          }),
        ),
        at(14, fakeCall('sums.add', { args: { b: 3, a: 2 } })),
        at(15, fakeCall('todo_list', { args: { items: [] } })),
      ],
      {
        calls: [
          seenCall({ name: 'exec_command', args: { cmd: 'echo "one"' } }),
          seenCall({ name: 'apply_patch', args: patch }),
          seenCall({ name: 'mcp__sums__add', args: { a: 2, b: 3 } }),
          seenCall({ name: 'update_plan', args: { plan: [] } }),
          seenCall({
            at: 16,
            name: 'shell',
            args: { command: ['bash', '-lc', 'cat .agents/skills/x/SKILL.md'] },
            result: { text: '', failed: null, at: 17 },
          }),
        ],
      },
    )
    expect(short(trajectory)).toEqual([
      'seen command_execution',
      'claimed command_execution',
      'seen file_change',
      'seen sums.add',
      'seen todo_list',
      'seen command_execution',
      'seen x',
    ])
    expect(trajectory.steps.find((step) => step.kind === 'tool-call')).toMatchObject({
      args: { command },
    })
  })

  it('is matched by ids and in order for ACP, whose kinds of calls are no names', () => {
    const told = (time: number, id: string) => at(time, { ...fakeCall('execute', {}), id })
    const trajectory = judged(acp, [told(11, 'x'), told(12, 'b'), told(13, 'y'), told(14, 'z')], {
      calls: [
        seenCall({ id: 'a', args: { command: 'one' } }),
        seenCall({ id: 'b', name: 'view', args: { path: 'two' } }),
        seenCall({ id: 'c', name: 'edit', args: { path: 'three' } }),
      ],
    })
    expect(short(trajectory)).toEqual(['seen Bash', 'seen view', 'seen edit', 'claimed execute'])
    expect(trajectory.steps[2]).toMatchObject({ args: { path: 'three' } })
  })

  it('has the names of servers for Gemini CLI', () => {
    const trajectory = judged(gemini, [at(11, fakeCall('sums.add', { args: { a: 2 } }))], {
      calls: [seenCall({ name: 'mcp_sums_add', args: { a: 2 } })],
    })
    expect(short(trajectory)).toEqual(['seen sums.add'])
  })
})
