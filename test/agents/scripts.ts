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

/** The usage of each reply of the model. Google reports no tokens that are written to a cache. */
export function usageOf(api: ScriptedApi, answer: number): Usage {
  return {
    input: 100 + answer,
    cacheRead: 200 * answer,
    cacheWrite: api === 'google' ? 0 : 30,
    output: 20 + answer,
    // Anthropic does not report them separately.
    reasoning: api === 'anthropic' ? 0 : 5,
  }
}

export const answersIn = (job: string): number => JOBS[job]?.length ?? 0

/** What a model that judges does: it looks, tries to change what it judges, and replies with the key it was given. */
function judgingScript(api: ScriptedApi, key: string): AgentScript {
  const criteria = [{ id: 'c1', reason: 'It adds.', mark: true, confidence: 0.9 }]
  const deeds: readonly Deed[] = [
    { run: 'cat /workspace/add.js; echo forged > /workspace/add.js; ls -A' },
    { say: JSON.stringify({ key, criteria, strengths: ['short'], confidence: 0.9 }) },
  ]
  return { steps: stepsOf(api, deeds) }
}

export function scriptFor({ api, text }: ScriptedRequest): AgentScript {
  // The request is JSON, so quotes in the prompt have backslashes.
  const key = /The criteria:.*key\\*": \\*"([0-9a-f]{12})/su.exec(text)?.[1]
  if (key !== undefined) return judgingScript(api, key)
  const job = /the job called ([a-z]+)/u.exec(text)?.[1] ?? ''
  if (job === 'refused') return { steps: [{ status: 401, message: 'No such key.' }] }
  return { steps: stepsOf(api, JOBS[job] ?? []) }
}

const stepsOf = (api: ScriptedApi, deeds: readonly Deed[]): ScriptStep[] =>
  deeds.map((deed, index): ScriptStep => {
    const usage = usageOf(api, index)
    return 'say' in deed ? { say: deed.say, usage } : { tool: CALLS[api](deed), usage }
  })

type Call = (deed: Exclude<Deed, { say: string }>) => ScriptedCall

const CALLS: Readonly<Record<ScriptedApi, Call>> = {
  anthropic(deed) {
    if ('run' in deed) return { name: 'Bash', args: { command: deed.run, description: 'Runs it' } }
    if ('look' in deed) return { name: 'Read', args: { file_path: `/workspace/${deed.look}` } }
    const [file_path, old_string, new_string] = [`/workspace/${deed.edit}`, deed.from, deed.to]
    return { name: 'Edit', args: { file_path, old_string, new_string } }
  },
  responses(deed) {
    if (!('edit' in deed)) {
      const cmd = 'run' in deed ? deed.run : `cat ${deed.look}`
      return { name: 'exec_command', args: { cmd, yield_time_ms: 30_000 } }
    }
    const line = (text: string): string => `export const add = (a, b) => ${text}`
    const hunk = `@@\n-${line(deed.from)}\n+${line(deed.to)}`
    const input = `*** Begin Patch\n*** Update File: ${deed.edit}\n${hunk}\n*** End Patch\n`
    return { name: 'apply_patch', args: { input } }
  },
  google(deed) {
    if ('run' in deed) return { name: 'run_shell_command', args: { command: deed.run } }
    if ('look' in deed) return { name: 'read_file', args: { file_path: deed.look } }
    const [file_path, old_string, new_string] = [deed.edit, deed.from, deed.to]
    const instruction = 'Add instead of subtracting.'
    return { name: 'replace', args: { file_path, instruction, old_string, new_string } }
  },
}
