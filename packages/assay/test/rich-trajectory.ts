/** A short trajectory of an agent with a step of every kind, and the files that it left, for tests. */
import type { Step, Trajectory, Usage, WorkspaceDiff } from '@assay/contract'

const usage = (input: number, cacheRead: number, output: number): Usage => ({
  input,
  cacheRead,
  cacheWrite: 120,
  output,
  reasoning: 20,
})

/** The steps in order. One call among them failed. */
export const richSteps: readonly Step[] = [
  { kind: 'message', at: 0, turn: 0, role: 'user', text: 'Make the tests pass.' },
  {
    kind: 'other',
    at: 310,
    turn: 0,
    type: 'system/init',
    raw: '{"type":"system","tools":["Bash"]}',
  },
  {
    kind: 'reasoning',
    at: 1200,
    turn: 0,
    text: 'First I look at what fails.\nThen I mend it.',
    usage: usage(1200, 0, 60),
    usd: 0.0041,
  },
  { kind: 'skill', at: 1900, turn: 0, name: 'test-first' },
  {
    kind: 'tool-call',
    at: 2100,
    turn: 0,
    id: 'call-1',
    name: 'Bash',
    args: { command: 'npm test', description: 'Run the tests' },
    result: 'FAIL src/add.test.ts\n  adds: expected 3, received -1\n1 failed',
    failed: true,
    ms: 3400,
  },
  {
    kind: 'message',
    at: 6100,
    turn: 0,
    role: 'assistant',
    text: 'The sign is wrong in `add`. I turn it round.',
    usage: usage(210, 1320, 95),
    usd: 0.0022,
  },
  {
    kind: 'tool-call',
    at: 6400,
    turn: 0,
    id: 'call-2',
    name: 'Edit',
    args: { file_path: '/workspace/src/add.ts', old_string: 'a - b', new_string: 'a + b' },
    result: 'The file has been updated.',
    failed: false,
    ms: 12,
  },
  { kind: 'file-change', at: 6412, turn: 0, path: 'src/add.ts', change: 'changed' },
  { kind: 'error', at: 7000, turn: 0, text: 'the provider was overloaded; asked again' },
  { kind: 'message', at: 7100, turn: 1, role: 'user', text: 'Now write it down.' },
  {
    kind: 'tool-call',
    at: 8300,
    turn: 1,
    id: 'call-3',
    name: 'Write',
    args: { file_path: '/workspace/NOTES.md', content: '# Notes\n\nadd was turned round.\n' },
    result: null,
    failed: false,
    ms: null,
    usage: usage(80, 1650, 40),
    usd: 0.0013,
  },
  { kind: 'message', at: 9000, turn: 1, role: 'assistant', text: 'Done: the tests pass.' },
]

export const richTrajectory = (change: Partial<Trajectory> = {}): Trajectory => ({
  version: 1,
  format: 'claude',
  agentVersion: '2.1.0',
  model: 'model-large',
  steps: richSteps,
  usage: { 'model-large': usage(1490, 2970, 195), 'model-small': usage(400, 0, 12) },
  usd: 0.0081,
  usdFrom: 'reported',
  turns: 3,
  firstTokenMs: 1200,
  ms: 9400,
  complete: true,
  oddities: [],
  ...change,
})

export const richDiff = (change: Partial<WorkspaceDiff> = {}): WorkspaceDiff => ({
  version: 1,
  changes: [
    {
      path: 'NOTES.md',
      change: 'added',
      mode: '100644',
      text: '# Notes\n\nadd was turned round.\n',
      patch: '@@ -0,0 +1,3 @@\n+# Notes\n+\n+add was turned round.\n',
    },
    {
      path: 'logo.png',
      change: 'changed',
      modeBefore: '100644',
      mode: '100644',
      base64: 'iVBORw==',
    },
    { path: 'old.txt', change: 'deleted', modeBefore: '100644', patch: '@@ -1 +0,0 @@\n-old\n' },
    {
      path: 'run.sh',
      change: 'changed',
      modeBefore: '100644',
      mode: '100755',
      text: 'npm test\n',
      patch: '',
    },
    {
      path: 'src/add.ts',
      change: 'changed',
      modeBefore: '100644',
      mode: '100644',
      text: 'export const add = (a: number, b: number) => a + b\n',
      patch:
        '@@ -1,2 +1,2 @@\n-export const add = (a: number, b: number) => a - b\n+export const add = (a: number, b: number) => a + b\n export const zero = 0\n',
    },
  ],
  ...change,
})
