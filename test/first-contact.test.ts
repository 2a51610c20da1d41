/** Tests the first hour of a new user: an empty folder, ordinary mistakes, and the messages about them. */
import { spawnSync } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { assayHere } from './assay-here.ts'
import { assayStarted, command, machine, type Ended } from './command.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-first-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

interface Where {
  /** Inside the test's own folder. */
  readonly cwd?: string
  readonly env?: Record<string, string>
}

/** Without any key or setting of this machine. */
const optionsOf = ({ cwd = '.', env = {} }: Where) => ({
  cwd: join(folder, cwd),
  env: {
    ...machine(),
    HOME: join(folder, 'home'),
    NO_COLOR: '1',
    XDG_CONFIG_HOME: join(folder, 'config'),
    ...env,
  },
})

const assay = (args: readonly string[], where: Where = {}): Promise<Ended> =>
  assayHere(args, optionsOf(where))

/** In its own process, because keys and the variables of a file stay in the process. */
const started = (args: readonly string[], where: Where = {}): Promise<Ended> =>
  assayStarted(args, optionsOf(where))

async function write(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [file, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, file)), { recursive: true })
    await writeFile(join(folder, file), text)
  }
}

const SUITE = `id = "one"
[[cases]]
id = "yes"
prompt = "Say yes"
reference = "yes"
faulty = ["no"]
[[cases.graders]]
type = "equals"
value = "yes"
`

describe('help', () => {
  it('the hint about --help is true: it names the help that lists what was misspelt', async () => {
    const flag = await assay(['run', '--modle', 'x'])
    expect(flag.stderr).toContain('Did you mean --model?')
    expect(flag.stderr).toContain('assay run --help lists its arguments and flags')
    expect((await assay(['run', '--help'])).stdout).toContain('--model <subjects>')
    const misspelt = await assay(['rnu'])
    expect(misspelt.stderr).toContain('Did you mean run?')
    expect(misspelt.stderr).toContain('assay --help lists the commands')
  })

  it('--help has groups and examples, and fits 80 columns', async () => {
    for (const args of [[], ['run'], ['compare'], ['analyze'], ['report'], ['show']]) {
      const { stdout } = await assay([...args, '--help'])
      expect(stdout).toMatch(/\nExamples:\n {2}/u)
      expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([])
    }
    const { stdout } = await assay(['run', '--help'])
    for (const group of ['What is run:', 'How it is run:', 'Output:', 'Earlier runs:'])
      expect(stdout).toContain(`\n${group}\n`)
  })

  it('a misspelt provider or grader is answered with the nearest one', async () => {
    await write({ 's.toml': SUITE, 'wrong.toml': SUITE.replace('equals', 'eqauls') })
    const provider = await assay(['run', 's.toml', '-m', 'opnai/gpt-5'])
    expect(provider).toMatchObject({ code: 2 })
    expect(provider.stderr).toContain('did you mean openai?')
    expect((await assay(['validate', 'wrong.toml'])).stderr).toContain('did you mean equals?')
    expect((await assay(['graders', 'eqauls'])).stderr).toContain('equals')
  })

  it('a format may be named by the ending of its files', async () => {
    await write({ 's.toml': SUITE })
    expect((await assay(['run', 's.toml', '-m', 'simulated:pass=1', '-o', 'r'])).code).toBe(0)
    expect((await assay(['report', 'r', '--format', 'md'])).stdout).toContain('| subject |')
    const compared = ['compare', '--baseline', 'r', '--current', 'r', '--format', 'md']
    expect((await assay(compared)).stdout).toContain('## Assay')
  })
})

/** A repository with settings in its root, and a folder deep inside it. */
const REPOSITORY = {
  'repo/.git/HEAD': 'ref: refs/heads/main\n',
  'repo/assay.toml': 'model = "simulated:pass=1"\noutput = "runs"\n',
  'repo/a/b/s.toml': SUITE,
}

describe('assay.toml', () => {
  it('is looked for in parent folders up to the repository’s root, and can set a default model', async () => {
    await write(REPOSITORY)
    const { code, stdout } = await assay(['run', 's.toml', '--dry-run'], { cwd: 'repo/a/b' })
    expect(code).toBe(0)
    expect(stdout).toMatch(/model +simulated:pass=1 \(\.\.\/\.\.\/assay\.toml\)/u)
    expect((await assay(['run', 's.toml'], { cwd: 'repo/a/b' })).code).toBe(0)
    // The paths in the settings are relative to the settings file. Runs are found from everywhere in the project.
    expect(await readdir(join(folder, 'repo'))).toContain('runs')
    expect((await assay(['report', 'latest'], { cwd: 'repo/a' })).code).toBe(0)
    expect((await assay(['report', 'latest'], { cwd: 'repo' })).code).toBe(0)
  })

  it('is not looked for above the repository, where there is none, or where everybody may write', async () => {
    await write({ ...REPOSITORY, 'repo/a/.git/HEAD': 'ref: refs/heads/main\n' })
    const inside = (cwd: string): Promise<Ended> => assay(['run', 's.toml', '--dry-run'], { cwd })
    expect((await inside('repo/a/b')).stderr).toContain('say who answers')
    await rm(join(folder, 'repo/a/.git'), { recursive: true })
    expect((await inside('repo/a/b')).code).toBe(0)
    await chmod(join(folder, 'repo/a'), 0o777)
    expect((await inside('repo/a/b')).stderr).toContain('say who answers')
    await chmod(join(folder, 'repo/a'), 0o755)
    await rm(join(folder, 'repo/.git'), { recursive: true })
    expect((await inside('repo/a/b')).stderr).toContain('say who answers')
  })

  it('of the home folder is used only there', async () => {
    const home = { env: { HOME: join(folder, 'repo') } }
    await write(REPOSITORY)
    const inside = await assay(['run', 's.toml', '--dry-run'], { cwd: 'repo/a/b', ...home })
    expect(inside.stderr).toContain('say who answers')
    const there = await assay(['run', 'a/b/s.toml', '--dry-run'], { cwd: 'repo', ...home })
    expect(there.code).toBe(0)
  })

  it('of a parent folder needs the same trust as one in the folder, given for the same root', async () => {
    await write({
      ...REPOSITORY,
      'repo/assay.toml': 'model = "mine"\n[subjects.mine]\ncommand = "sh answer.sh"\n',
      'repo/answer.sh': 'echo yes\n',
    })
    const run = (): Promise<Ended> => assay(['run', 's.toml'], { cwd: 'repo/a/b' })
    const refused = await run()
    expect(refused.code).toBe(2)
    expect(refused.stderr).toContain(`${join(folder, 'repo')} is not trusted yet`)
    expect((await assay(['trust', '--yes'], { cwd: 'repo' })).code).toBe(0)
    // The program starts in the folder of the file.
    expect(await run()).toMatchObject({ code: 0 })
  })

  it('is checked as settings by validate', async () => {
    await write({ 'assay.toml': 'trails = 3\n' })
    const wrong = await assay(['validate', 'assay.toml'])
    expect(wrong).toMatchObject({ code: 2 })
    expect(wrong.stderr).toContain('assay.toml:1:1: trails: unknown key; did you mean trials?')
    await write({ 'assay.toml': 'trials = 3\n' })
    expect(await assay(['validate', 'assay.toml'])).toMatchObject({
      code: 0,
      stdout: 'ok assay.toml: settings\n',
    })
  })
})

describe.skipIf(process.getuid?.() !== 0)('a user without an account', () => {
  it.each([{}, { HOME: '/nowhere' }])(
    'runs and validates, with the environment %j',
    async (env) => {
      await write({
        's.toml': SUITE.replace('"Say yes"', '{ file = "p.txt" }'),
        'p.txt': 'Say yes',
      })
      await chmod(folder, 0o777)
      const asUser = (args: readonly string[]) =>
        spawnSync(process.execPath, [command, ...args], {
          ...{ cwd: folder, uid: 54_321, gid: 54_321, encoding: 'utf8' },
          env: { PATH: process.env['PATH'], ...env },
        })
      for (const args of [
        ['validate', 's.toml'],
        ['run', 's.toml', '-m', 'simulated:pass=1', '--cache'],
      ]) {
        const { status, stderr } = asUser(args)
        expect(stderr).not.toContain('bug in assay')
        expect(status).toBe(0)
      }
      const { status, stderr } = asUser(['trust', '--yes'])
      expect(stderr).toContain('cannot write')
      expect(status).toBe(2)
    },
  )
})

describe('--env-file', () => {
  const dry = ['run', 's.toml', '-m', 'openai/gpt-5', '--dry-run']

  it('gives keys, from the flag or from envFile in the user’s settings, and never from assay.toml', async () => {
    await write({ 's.toml': SUITE, '.env': 'OPENAI_API_KEY="sk-from-file"\n' })
    const given = await started([...dry, '--env-file', '.env'])
    expect(given.code).toBe(0)
    expect(given.stdout).toContain('would send OPENAI_API_KEY to https://api.openai.com')
    expect(given.stdout + given.stderr).not.toContain('sk-from-file')
    await write({ 'config/assay/settings.toml': 'envFile = "keys.env"\n' })
    await write({ 'config/assay/keys.env': 'OPENAI_API_KEY=sk-mine\n' })
    expect((await started(dry)).stdout).toContain('would send OPENAI_API_KEY')
    await write({ 'assay.toml': 'envFile = ".env"\n' })
    const refused = await started(dry)
    expect(refused.code).toBe(2)
    expect(refused.stderr).toContain('a file of variables is named by you, not by a folder')
  })

  it('neither decides what is trusted nor sends a key of the environment elsewhere', async () => {
    await write({ 's.toml': SUITE, '.env': 'ASSAY_TRUST=1\nPATH=/nowhere\nOPENAI_API_KEY=k\n' })
    const { stderr } = await started([...dry, '--env-file', '.env'])
    expect(stderr).toContain('a file must not decide it: ASSAY_TRUST, PATH')
    await write({ '.env': 'OPENAI_BASE_URL=https://elsewhere.example/v1\n' })
    const moved = await started([...dry, '--env-file', '.env'], { env: { OPENAI_API_KEY: 'k' } })
    expect(moved.code).toBe(2)
    expect(moved.stderr).toContain('would have OPENAI_API_KEY of your environment sent to')
  })
})

describe('--env-file of a stranger', () => {
  const dry = ['run', 's.toml', '-m', 'simulated:pass=1', '--dry-run']

  it('does not decide which compilers and linkers are started', async () => {
    const names = ['CARGO_HOME', 'CC', 'CLIPPY_ARGS', 'RUSTC', 'RUSTC_WRAPPER', 'RUSTUP_TOOLCHAIN']
    const lines = names.map((name) => `${name}=/nowhere\n`).join('')
    await write({ 's.toml': SUITE, '.env': lines })
    const { stderr } = await started([...dry, '--env-file', '.env'])
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain(
      `a file must not decide it: ${names.join(', ')}`,
    )
  })

  it('reaches no program that Assay starts', async () => {
    const source = `export default { id: String(process.env.MAKEFLAGS ?? 'none'), cases: [{ id: 'a', prompt: 'p', reference: 'x', graders: [{ type: 'equals', value: 'x' }] }] }`
    await write({ 's.mjs': source, '.env': 'MAKEFLAGS=evil\n' })
    const args = ['run', 's.mjs', '-m', 'simulated:pass=1', '--dry-run', '--env-file', '.env']
    const { stdout, code } = await started(args)
    expect(code).toBe(0)
    expect(stdout).toMatch(/^simulated:pass=1 +none /m)
  })

  it.each([
    ['ANTHROPIC_BASE_URL', 'CLAUDE_CODE_OAUTH_TOKEN', 'ANTHROPIC_API_KEY=dummy\n'],
    ['OPENAI_BASE_URL', 'CODEX_API_KEY', ''],
    ['GOOGLE_VERTEX_BASE_URL', 'GOOGLE_API_KEY', ''],
  ])('with %s does not get %s, a key that only an agent has', async (address, key, more) => {
    await write({ 's.toml': SUITE, '.env': `${more}${address}=https://elsewhere.example\n` })
    const env = { [key]: 'k'.repeat(20) }
    const refused = await started([...dry, '--env-file', '.env'], { env })
    expect(refused.stderr).toContain(`would have ${key} of your environment sent to`)
    expect(refused.code).toBe(2)
    await write({ '.env': `${address}=http://127.0.0.1:9\n` })
    expect(await started([...dry, '--env-file', '.env'], { env })).toMatchObject({ code: 0 })
  })
})

describe('run', () => {
  it('accepts folders as validate does', async () => {
    await write({ 'suites/a.toml': SUITE, 'suites/b.toml': SUITE.replace('"one"', '"two"') })
    const ended = await assay(['run', 'suites', '-m', 'simulated:pass=1', '-o', 'r'])
    expect(ended.code).toBe(0)
    const record = JSON.parse(await readFile(join(folder, 'r/run.json'), 'utf8')) as object
    expect(JSON.stringify(record)).toContain('suites/b.toml')
    await mkdir(join(folder, 'empty'))
    const none = await assay(['run', 'empty', '-m', 'simulated:pass=1'])
    expect(none).toMatchObject({ code: 2 })
    expect(none.stderr).toContain('a folder without suites')
  })

  it('says what -k does without -n', async () => {
    await write({ 's.toml': SUITE })
    const run = ['run', 's.toml', '-m', 'simulated:pass=1', '--dry-run', '-k', '1,3']
    expect((await assay(run)).stderr).toContain(
      '--pass-k 1,3 without --trials: each case is tried 3 times, as often as the largest k',
    )
    expect((await assay([...run, '-n', '6'])).stderr).not.toContain('without --trials')
    const tried = SUITE.replace('[[cases]]', '[defaults]\ntrials = 5\n[[cases]]')
    await write({ 's.toml': tried })
    expect((await assay(run)).stderr).toContain('each case is tried 5 times, as the suites')
  })
})

describe('a suite in TypeScript', () => {
  const source = `import { basename } from 'node:path'
const id: string = basename('a/one')
export default { id, cases: [{ id: 'a', prompt: 'p', graders: [{ type: 'equals', value: 'x' }] }] }
`

  it('loads in projects of either module kind', async () => {
    await write({
      'none/package.json': '{}',
      'none/s.ts': source,
      'module/package.json': '{"type":"module"}',
      'module/s.ts': source,
      'module/old.ts': 'module.exports = {}',
      'commonjs/package.json': '{"type":"commonjs"}',
      'commonjs/s.ts': source,
      'commonjs/s.mts': source,
    })
    for (const file of ['none/s.ts', 'module/s.ts', 'commonjs/s.ts', 'commonjs/s.mts'])
      expect(await assay(['validate', file])).toMatchObject({ code: 0, stderr: '' })
    expect((await assay(['validate', 'module/old.ts'])).stderr).toContain('use import and export')
  })
})

describe('a server of one’s own behind OPENAI_BASE_URL', () => {
  it('that is chat-only is told as such, with the remedy', async () => {
    await write({ 's.toml': SUITE })
    const server = createServer((request, response) => {
      const isChat = request.url === '/v1/chat/completions'
      const message = { role: 'assistant', content: 'yes' }
      const reply = {
        ...{ id: '1', object: 'chat.completion', created: 1, model: 'm' },
        choices: [{ index: 0, message, finish_reason: 'stop' }],
        usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
      }
      response.writeHead(isChat ? 200 : 404, { 'content-type': 'application/json' })
      response.end(isChat ? JSON.stringify(reply) : '{"detail":"Not Found"}')
    })
    await new Promise<void>((settle) => server.listen(0, '127.0.0.1', settle))
    const { port } = server.address() as { port: number }
    const baseUrl = `http://127.0.0.1:${port}/v1`
    const env = { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: baseUrl }
    try {
      const dry = await started(['run', 's.toml', '-m', 'openai/m', '--dry-run'], { env })
      expect(dry.stdout).toContain(`would send OPENAI_API_KEY to http://127.0.0.1:${port}`)
      await started(['run', 's.toml', '-m', 'openai/m', '-o', 'r'], { env })
      const { stdout } = await started(['show', 'r', 'yes', '0', '--json'], { env })
      expect(stdout).toContain('may know chat completions alone')
      // The advice in the message solves the problem.
      await write({ 'assay.toml': `[providers.mine]\nbaseUrl = "${baseUrl}"\napi = "chat"\n` })
      expect((await started(['run', 's.toml', '-m', 'mine/m'], { env })).code).toBe(0)
    } finally {
      server.close()
    }
  })
})

describe('a cost that cannot be', () => {
  it('is unknown to a cost budget, which says why', async () => {
    const budget = '[[cases.graders]]\ntype = "cost-budget"\nmax = 1\n'
    await write({
      's.toml': `${SUITE}${budget}`,
      'answer.sh': `echo '{"text":"yes","costUsd":-1}'\n`,
    })
    const run = ['run', 's.toml', '-m', 'command+json:sh answer.sh', '-o', 'r']
    expect((await assay(run)).code).toBe(0)
    expect((await assay(['show', 'r', 'yes', '0', '--json'])).stdout).toContain(
      'not judged: what the answer cost is not known (a cost is no sum of money that can be, and does not count)',
    )
  })
})
