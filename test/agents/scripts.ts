/**
 * The replies of the scripted model for each job of suite.toml, in the words of each agent. For example, the same
 * job is a call of `Bash` for one agent and of `exec_command` for another. The prompt says which job it is.
 */
import type {
  ScriptedApi,
  ScriptedRequest,
} from '../../packages/assay/test/model-server/script-server.ts'
import type {
  AgentScript,
  ScriptedCall,
  ScriptStep,
} from '../../packages/assay/test/model-server/script.ts'
import type { Usage } from 'assay'

/**
 * A pipe that nobody writes to. A command that reads it waits forever, so a process that was not ended is found by
 * the name of the pipe.
 */
export const PIPE = '/tmp/nobody-writes-here'

type Deed =
  | { readonly run: string }
  | { readonly look: string }
  | { readonly edit: string; readonly from: string; readonly to: string }
  | { readonly say: string }

const MEND: readonly Deed[] = [
  // If a command can see a key, the key is in this file afterwards.
  { run: 'env > seen.txt' },
  { look: 'add.js' },
  { edit: 'add.js', from: 'a - b', to: 'a + b' },
  { run: 'cat add.js' },
  { say: 'It adds now.' },
]

const JOBS: Readonly<Record<string, readonly Deed[]>> = {
  edit: MEND,
  talk: [...MEND, { say: 'Yes, it is done.' }],
  busy: [...Array.from({ length: 8 }, (_, i) => ({ run: `echo ${i}` })), { say: 'Enough.' }],
  // Some agents do not wait for a command that takes long.
  late: Array.from({ length: 9 }, () => ({
    run: `mkfifo ${PIPE}; cat ${PIPE} & setsid cat ${PIPE} & cat ${PIPE}`,
  })),
}

/** The usage of each reply of the model. Google and OpenAI’s chat report no tokens that are written to a cache. */
export function usageOf(api: ScriptedApi, answer: number): Usage {
  return {
    input: 100 + answer,
    cacheRead: 200 * answer,
    cacheWrite: api === 'google' || api === 'chat' ? 0 : 30,
    output: 20 + answer,
    // Anthropic does not report them separately.
    reasoning: api === 'anthropic' ? 0 : 5,
  }
}

export const answersIn = (job: string): number => JOBS[job]?.length ?? 0

/** What a model that judges does: it looks, tries to change what it judges, and replies with the key it was given. */
function judgingScript(api: ScriptedApi, words: Words, key: string): AgentScript {
  const criteria = [{ id: 'c1', reason: 'It adds.', mark: true, confidence: 0.9 }]
  const deeds: readonly Deed[] = [
    { run: 'cat /workspace/add.js; echo forged > /workspace/add.js; ls -A' },
    { say: JSON.stringify({ key, criteria, strengths: ['short'], confidence: 0.9 }) },
  ]
  return { steps: stepsOf(api, words, deeds) }
}

export function scriptFor({ api, text }: ScriptedRequest): AgentScript {
  // The request is JSON, so quotes in the prompt have backslashes.
  const key = /The criteria:.*key\\*": \\*"([0-9a-f]{12})/su.exec(text)?.[1]
  const words = wordsOf(api, text)
  if (key !== undefined) return judgingScript(api, words, key)
  const job = /the job called ([a-z]+)/u.exec(text)?.[1] ?? ''
  if (job === 'refused') return { steps: [{ status: 401, message: 'No such key.' }] }
  return { steps: stepsOf(api, words, JOBS[job] ?? []) }
}

/** Whose tools the model calls. */
type Words = 'claude' | 'codex' | 'gemini' | 'opencode' | 'copilot' | 'qwen' | 'cline'

/** Tells the agent by tools that only it describes. */
function wordsOf(api: ScriptedApi, text: string): Words {
  const own: readonly (readonly [Words, string])[] = [
    ['opencode', '"patchText"'],
    ['copilot', '"read_bash"'],
    ['cline', '"run_commands"'],
  ]
  const found = own.find(([, tool]) => text.includes(tool))
  const usual = { anthropic: 'claude', responses: 'codex', google: 'gemini', chat: 'qwen' } as const
  return found?.[0] ?? usual[api]
}

const stepsOf = (api: ScriptedApi, words: Words, deeds: readonly Deed[]): ScriptStep[] =>
  deeds.map((deed, index): ScriptStep => {
    const usage = usageOf(api, index)
    return 'say' in deed ? { say: deed.say, usage } : { tool: CALLS[words](deed), usage }
  })

type Call = (deed: Exclude<Deed, { say: string }>) => ScriptedCall

const CALLS: Readonly<Record<Words, Call>> = {
  claude(deed) {
    if ('run' in deed) return { name: 'Bash', args: { command: deed.run, description: 'Runs it' } }
    if ('look' in deed) return { name: 'Read', args: { file_path: `/workspace/${deed.look}` } }
    const [file_path, old_string, new_string] = [`/workspace/${deed.edit}`, deed.from, deed.to]
    return { name: 'Edit', args: { file_path, old_string, new_string } }
  },
  codex(deed) {
    if (!('edit' in deed)) {
      const cmd = 'run' in deed ? deed.run : `cat ${deed.look}`
      return { name: 'exec_command', args: { cmd, yield_time_ms: 30_000 } }
    }
    return { name: 'apply_patch', args: { input: patchOf(deed) } }
  },
  opencode(deed) {
    if ('run' in deed) return { name: 'bash', args: { command: deed.run, description: 'Runs it' } }
    if ('look' in deed) return { name: 'read', args: { filePath: `/workspace/${deed.look}` } }
    return { name: 'apply_patch', args: { patchText: patchOf(deed) } }
  },
  copilot(deed) {
    if ('run' in deed) return { name: 'bash', args: { command: deed.run, description: 'Runs it' } }
    if ('look' in deed) return { name: 'view', args: { path: `/workspace/${deed.look}` } }
    const [path, old_str, new_str] = [`/workspace/${deed.edit}`, deed.from, deed.to]
    return { name: 'edit', args: { path, old_str, new_str } }
  },
  qwen(deed) {
    if ('run' in deed)
      return { name: 'run_shell_command', args: { command: deed.run, is_background: false } }
    if ('look' in deed) return { name: 'read_file', args: { file_path: `/workspace/${deed.look}` } }
    const [file_path, old_string, new_string] = [`/workspace/${deed.edit}`, deed.from, deed.to]
    return { name: 'edit', args: { file_path, old_string, new_string } }
  },
  cline(deed) {
    if ('run' in deed) return { name: 'run_commands', args: { commands: [deed.run] } }
    if ('look' in deed)
      return { name: 'read_files', args: { files: [{ path: `/workspace/${deed.look}` }] } }
    return { name: 'apply_patch', args: { input: patchOf(deed) } }
  },
  gemini(deed) {
    if ('run' in deed) return { name: 'run_shell_command', args: { command: deed.run } }
    if ('look' in deed) return { name: 'read_file', args: { file_path: deed.look } }
    const [file_path, old_string, new_string] = [deed.edit, deed.from, deed.to]
    const instruction = 'Add instead of subtracting.'
    return { name: 'replace', args: { file_path, instruction, old_string, new_string } }
  },
}

function patchOf({ edit, from, to }: Extract<Deed, { edit: string }>): string {
  const line = (text: string): string => `export const add = (a, b) => ${text}`
  const hunk = `@@\n-${line(from)}\n+${line(to)}`
  return `*** Begin Patch\n*** Update File: ${edit}\n${hunk}\n*** End Patch\n`
}
