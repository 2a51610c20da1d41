/** Recorded streams of real agents, whose model was scripted (test/agents). */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Trajectory } from '@assay/contract'
import { cline } from '../cline/cline.ts'
import type { AgentKind } from '../agent-kind.ts'
import { TrajectoryBuilder } from '../trajectory/trajectory-builder.ts'
import { acp, copilot, opencode, qwen } from './acp.ts'

function read(kind: AgentKind, file: string): { trajectory: Trajectory; answer: string } {
  const url = new URL(`../../../../test/agent-streams/${file}.jsonl`, import.meta.url)
  let clock = 0
  const builder = new TrajectoryBuilder({
    now: () => clock++,
    price: () => null,
    folder: '/workspace',
  })
  const reader = kind.reader(builder, { model: 'm', args: [], mcpServers: {} })
  builder.beginTurn(0, 'prompt')
  for (const line of readFileSync(url, 'utf8').trimEnd().split('\n')) reader.line(line)
  reader.turnEnded()
  return { trajectory: builder.build(kind.name), answer: builder.answerText }
}

const QWEN = ['run_shell_command', 'read_file', 'edit', 'run_shell_command']
const EDIT_USAGE = { input: 510, cacheRead: 2000, cacheWrite: 0, output: 110, reasoning: 25 }

describe.each([
  // Its input includes the cache, which is subtracted.
  { kind: qwen, file: 'qwen-edit', names: QWEN, changed: ['add.js'], usage: EDIT_USAGE },
  {
    ...{ kind: cline, file: 'cline-edit', changed: [] },
    names: ['run_commands', 'read_files', 'apply_patch', 'run_commands'],
    usage: { ...EDIT_USAGE, reasoning: 0 },
  },
  {
    ...{ kind: copilot, file: 'copilot-edit', changed: ['add.js'] },
    names: ['execute', 'read', 'edit', 'execute'],
    usage: EDIT_USAGE,
  },
  {
    ...{ kind: opencode, file: 'opencode-edit', changed: [] },
    names: ['bash', 'read', 'apply_patch', 'bash'],
    // It only reports its last request.
    usage: { input: 104, cacheRead: 800, cacheWrite: 30, output: 24, reasoning: 5 },
  },
  {
    ...{ kind: acp, file: 'acp-gemini-edit', changed: ['add.js'] },
    names: ['execute', 'read', 'edit', 'execute'],
    // It reports neither the cache nor thoughts.
    usage: { input: 2510, cacheRead: 0, cacheWrite: 0, output: 85, reasoning: 0 },
  },
  {
    ...{ kind: acp, file: 'acp-claude-edit', changed: ['add.js'] },
    names: ['Bash', 'Read', 'Edit', 'Bash'],
    usage: null,
  },
])('$file', ({ kind, file, names, changed, usage }) => {
  it('has its steps in order, its changes, its tokens and its answer', () => {
    const { trajectory, answer } = read(kind, file)
    const calls = trajectory.steps.filter((step) => step.kind === 'tool-call')
    expect(calls.map(({ name }) => name)).toEqual(names)
    expect(calls.every(({ result, failed }) => result !== null && !failed)).toBe(true)
    expect(JSON.stringify(calls[0]?.args)).toContain('env > seen.txt')
    const changes = trajectory.steps.filter((step) => step.kind === 'file-change')
    expect(changes.map(({ path }) => path)).toEqual(changed)
    expect(answer).toBe('It adds now.')
    expect(trajectory.complete).toBe(true)
    if (usage !== null) expect(Object.values(trajectory.usage)).toEqual([usage])
  })
})
