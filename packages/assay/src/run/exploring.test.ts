/** Judges that explore: agents and commands that judge in a copy of the graded workspace. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fakeCase, fakeSuite } from '../../test/fakes.ts'
import { hasBubblewrap } from '../../../sandbox/test/sandboxed.ts'
import type { Case, GraderConfig, Json, Subject, Trial, WorkspacePlan } from '@assay/contract'
import { graderByType } from '../grade/index.ts'
import { readTrials } from '../log/index.ts'
import { agentSubject } from '../subject/agent/agent.ts'
import { claude } from '../subject/agent/claude/claude.ts'
import { commandSubject, loadPrices } from '../subject/index.ts'
import { regradable } from './resume/regrade.ts'
import type { RunOptions } from './run-options.ts'
import { run } from './run.ts'

let outer: string

beforeEach(() => {
  outer = realpathSync(mkdtempSync(join(tmpdir(), 'assay-exploring-')))
  chmodSync(outer, 0o755)
})
afterEach(() => rmSync(outer, { recursive: true, force: true }))

const PLAN: WorkspacePlan = {
  git: null,
  folder: null,
  setup: [],
  setupTimeoutMs: 20_000,
  ignore: [],
  protect: [],
  hidden: { 'hidden.txt': 'for graders\n' },
}

const grader = (type: string, options: object, weight = 1): GraderConfig => ({
  type,
  name: type,
  weight,
  required: false,
  negate: false,
  options: graderByType(type)?.options.parse(options) as Json,
})

const judgeGrader = (options: object = {}): GraderConfig =>
  grader('judge', {
    judges: ['judge'],
    rubric: [{ text: 'Is it done?', scale: [1, 5] }],
    attempts: 1,
    ...options,
  })

const at = (graders: GraderConfig[], change: Partial<Case> = {}): Case =>
  fakeCase('c', { workspace: PLAN, graders, files: { 'in.txt': 'in\n' }, ...change })

/** A script that finds the key in the prompt on stdin, runs `script`, and replies with the mark that $mark holds. */
const replying = (script: string): string =>
  `prompt=$(cat); key=$(printf '%s\\n' "$prompt" | grep '"key"' | tail -n 1); mark=1
${script}
echo "{ $key \\"criteria\\": [{\\"id\\": \\"c1\\", \\"reason\\": \\"seen\\", \\"mark\\": $mark, \\"confidence\\": 0.8}], \\"strengths\\": [\\"it is done\\"] }"`

const command = (id: string, script: string): Subject =>
  commandSubject({ id, argv: ['sh', '-c', script], promptAs: 'stdin' })

async function go(one: Case, judge: Subject, options: Partial<RunOptions> = {}) {
  const folder = join(outer, 'run')
  await run({
    suites: [fakeSuite([one])],
    subjects: [command('worker', 'echo done > out.txt; echo ok')],
    judges: [judge],
    folder,
    trials: 1,
    maxErrors: 1,
    ...options,
  })
  const trials: Trial[] = []
  await readTrials(options.folder ?? folder, (trial) => trials.push(trial))
  return { folder, trial: trials.at(-1) as Trial }
}

/** A program that looks like Claude Code: it prints events, and the script's output as its last message. */
async function agent(script: string): Promise<Subject> {
  mkdirSync(join(outer, 'bin'), { recursive: true })
  const program = join(outer, 'bin', 'claude')
  writeFileSync(
    program,
    `#!/bin/sh
if [ "$1" = --version ]; then echo 9.9.9; exit; fi
script=$(cat <<'SCRIPT'
${script}
SCRIPT
)
text=$(sh -c "$script")
node -e '
const [text] = process.argv.slice(1)
const usage = { input_tokens: 1000, output_tokens: 100 }
const say = (event) => console.log(JSON.stringify(event))
say({ type: "system", subtype: "init", session_id: "s", model: "claude-sonnet-4-5", tools: [] })
say({ type: "assistant", message: { id: "m1", model: "claude-sonnet-4-5", usage, content: [{ type: "tool_use", id: "t", name: "Bash", input: { command: "ls" } }] } })
say({ type: "user", message: { content: [{ type: "tool_result", tool_use_id: "t", content: "out.txt" }] } })
say({ type: "assistant", message: { id: "m2", model: "claude-sonnet-4-5", usage, content: [{ type: "text", text }] } })
say({ type: "result", subtype: "success", is_error: false, result: text, session_id: "s", total_cost_usd: 0.25 })
' "$text"
`,
  )
  chmodSync(program, 0o755)
  return await agentSubject({
    id: 'judge',
    kind: claude,
    program,
    model: null,
    args: [],
    skills: [],
    files: {},
    mcpServers: {},
    env: {},
    passEnv: [],
    prices: await loadPrices(),
  })
}

const LOOKS = replying(`
  [ "$(cat /workspace/out.txt)" = done ] && [ "$(cat /workspace/hidden.txt)" = "for graders" ] && [ "$(ls)" = "" ] && mark=5`)

describe.skipIf(!hasBubblewrap)('a judge that explores', () => {
  it('sees the work as graders do, in a folder that is not its own', async () => {
    const { trial } = await go(at([judgeGrader({ explore: true })]), command('judge', LOOKS))
    expect(trial).toMatchObject({ outcome: 'passed', score: 1, implRate: 1 })
    expect(trial.grades[0]?.details?.[0]?.reason).toContain('strengths: it is done')
  })

  it('may be an agent, whose cost is the judges’ and whose steps are kept', async () => {
    const { trial } = await go(at([judgeGrader()]), await agent(LOOKS))
    expect(trial.reason).toBeUndefined()
    expect(trial).toMatchObject({ outcome: 'passed', score: 1 })
    expect(trial.cost.judgeUsd).toBeGreaterThan(0)
    expect(trial.cost.answerUsd).toBeNull()
    const [detail] = trial.grades[0]?.details ?? []
    expect(detail?.reason).toContain('explored with 1 tool call')
    expect(detail?.facts).toMatchObject({ explored: [expect.stringContaining('calls Bash')] })
    // The trajectory and the diff of the trial are the subject's.
    expect(trial.diff).not.toContain('hidden.txt')
    expect(trial.diff).toContain('out.txt')
  })

  it('judges an answer without a workspace too, by its files', async () => {
    const looks = replying('[ "$(cat /workspace/a.txt)" = content ] && mark=5')
    const worker = command(
      'worker',
      'cat > /dev/null; printf "\\140\\140\\140txt a.txt\\ncontent\\n\\140\\140\\140\\n"',
    )
    const one = fakeCase('c', { graders: [judgeGrader({ explore: true })] })
    const { trial } = await go(one, command('judge', looks), { subjects: [worker] })
    expect(trial).toMatchObject({ outcome: 'passed', score: 1 })
  })

  it('cannot change the result: not the files, nor other grades, nor the record', async () => {
    const log = join(outer, 'run', 'trials.jsonl')
    const attack = replying(`
      rm -rf /workspace/in.txt; echo forged > /workspace/out.txt; echo forged > /workspace/hidden.txt
      echo forged >> '${log}' 2>/dev/null && mark=4
      echo forged > '${join(outer, 'planted')}' 2>/dev/null && mark=4
      rm -rf '${join(outer, 'run')}' 2>/dev/null
      [ "$(cat /workspace/out.txt)" = forged ] && [ $mark = 1 ] && mark=5`)
    const after = [
      grader('file-contains', { path: 'out.txt', value: 'done' }),
      grader('file-exists', { path: 'in.txt' }),
      grader('run', {
        command: ['sh', '-c', 'cat out.txt hidden.txt'],
        stdoutContains: ['done', 'for graders'],
      }),
    ]
    // The judge works twice: its second run must not see what its first run left.
    const twice = judgeGrader({ explore: true, runs: 2 })
    const { trial } = await go(at([twice, ...after]), command('judge', attack), { trials: 2 })
    expect(trial.grades.map(({ name, score }) => [name, score])).toEqual([
      ['judge', 1],
      ['file-contains', 1],
      ['file-exists', 1],
      ['run', 1],
    ])
    expect(trial.diff).not.toContain('forged')
    expect(
      readFileSync(log, 'utf8')
        .split('\n')
        .filter((line) => line === 'forged'),
    ).toEqual([])
    expect(existsSync(join(outer, 'planted'))).toBe(false)
  })

  it('sees no secret that the subject left, unless it is its own', async () => {
    const looks = replying(`grep -q sk-other-0123456789 -r /workspace || mark=5`)
    const worker = commandSubject({
      id: 'worker',
      argv: ['sh', '-c', 'cat > /dev/null; echo $TOKEN > out.txt; echo ok'],
      promptAs: 'stdin',
      env: { TOKEN: 'sk-other-0123456789' },
    })
    const one = at([judgeGrader({ explore: true })])
    const { trial } = await go(one, command('judge', looks), { subjects: [worker] })
    expect(trial).toMatchObject({ outcome: 'passed', score: 1 })
    expect(trial.remarks?.join()).toContain('in place of a secret of another subject')
  })

  it('that fails errs, keeps the answer, and the trial can be graded again', async () => {
    const broken = command('judge', 'cat > /dev/null; echo full marks; exit 3')
    const one = at([judgeGrader({ explore: true })])
    const { trial, folder } = await go(one, broken)
    expect(trial).toMatchObject({
      outcome: 'errored',
      answer: 'ok',
      reason: { code: 'judge-failed' },
    })
    const again = regradable(folder, [fakeSuite([one])])
    const regraded = await go(one, command('judge', LOOKS), {
      ...again,
      regrade: folder,
      folder: join(outer, 'again'),
    })
    expect(regraded.trial).toMatchObject({ outcome: 'passed', score: 1 })
  })

  it('has limits of its own, and gives no verdict beyond them', async () => {
    const one = at([judgeGrader({ limits: { toolCalls: 0 } })], {
      limits: { turns: 1, toolCalls: null, tokens: null, usd: null },
    })
    const { trial } = await go(one, await agent(LOOKS))
    expect(trial.reason?.text).toContain('more than 0 tool calls')
    expect(trial).toMatchObject({ outcome: 'errored', answer: 'ok' })
    expect(trial.cost.judgeUsd).not.toBeNull()
    // The limits of the case are the subject's, and do not stop the judge.
    rmSync(join(outer, 'run'), { recursive: true })
    const free = await go({ ...one, graders: [judgeGrader()] }, await agent(LOOKS))
    expect(free.trial).toMatchObject({ outcome: 'passed' })
  })

  it('is refused with a budget that nothing holds it to, and as a model', async () => {
    const one = at([judgeGrader()])
    const worker = Object.assign(command('worker', 'true'), { estimateUsd: () => 0 })
    const options = { subjects: [worker], budgetUsd: 1 }
    await expect(go(one, await agent(LOOKS), options)).rejects.toThrow(
      /Give its grader limits\.usd/,
    )
    const model = Object.assign(command('judge', 'true'), { kind: 'model' as const })
    await expect(go(at([judgeGrader({ explore: true })]), model)).rejects.toThrow(/cannot explore/)
  })
})
