/**
 * A folder starts nothing and gets no key before the user trusts it, through the built command. Each way in which a
 * folder can name a program is tried: refused with exit code 2 and without a trace, listed, then allowed by exactly the
 * command that the refusal prints.
 *
 * Related code paths that were checked:
 * - programs: graders custom and program (suite, suite of an experiment), subjects and judges that are commands
 *   (assay.toml as `model`, as `[subjects]`, as `judges`; run file; experiment), agents with a program of their own
 *   (also their `--version`), MCP servers, setup commands, run graders and tests under --sandbox none, suites and
 *   experiments that are modules (command line, record)
 * - records: --resume and --regrade (subjects, judges, modules, run file, prices); replay: only reads
 * - addresses: baseUrl, apiKeyEnv and apiKey of known, local and new providers; the environment's addresses; agents'
 *   addresses; `assay models`; judges under simulated subjects; eval YAML judges (models of providers only)
 * - reading commands: validate, --dry-run, report, show, compare, analyze, bless, schema, graders, doctor load no module
 *   of the folder; git sources are read without hooks, monitors and the repository's own settings
 * - not acted on, so nothing to allow: an eval YAML's mcpServers and program graders, expectations.customCheck
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { inspectSandbox } from '../packages/assay/src/sandbox/index.ts'

const command = fileURLToPath(new URL('../packages/assay/bin/assay.js', import.meta.url))
const sandbox = await inspectSandbox()
const SECRET = 'wJalrXUtnFEMI-K7MDENG-bPxRfiCYEXAMPLEKEY'

let parent: string
let folder: string

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'assay-trust-'))
  folder = join(parent, 'evil')
  await mkdir(join(folder, '.git'), { recursive: true })
})
afterEach(() => rm(parent, { recursive: true, force: true }))

interface Ended {
  readonly code: number | null
  readonly said: string
}

async function assay(args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
  const { HOME, PATH } = process.env
  const child = spawn(process.execPath, [command, ...args], {
    cwd: folder,
    env: { HOME, PATH, XDG_CONFIG_HOME: join(parent, 'config'), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 50_000,
    killSignal: 'SIGKILL',
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (said += text))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, said }
}

const write = async (files: Record<string, string>): Promise<void> => {
  for (const [name, text] of Object.entries(files))
    await writeFile(join(folder, name), text.replaceAll('FOLDER', folder))
}

/** What every program here does; a grader's verdict and a judge's reply are of no interest. */
const STARTED = 'started'
const SCRIPT = `: > FOLDER/${STARTED}\necho Paris\n`
const MODULE = `import { writeFileSync } from 'node:fs'\nwriteFileSync(new URL('${STARTED}', import.meta.url), '')\n`
const started = (): boolean => existsSync(join(folder, STARTED))

const suite = (more: string, id = 'capitals'): string =>
  `id = "${id}"\n[[cases]]\nid = "france"\nprompt = "Capital of France?"\nreference = "Paris"\nfaulty = ["Rome"]\n${more}\n`
const PLAIN = suite('graders = [{ type = "equals", value = "Paris" }]')
const JUDGED = suite('graders = [{ type = "judge", rubric = ["It is right."] }]')
const CUSTOM = suite('graders = [{ type = "custom", file = "check.ts" }]')
const CHECK = `${MODULE}export default { grade: () => true }\n`
const SUITE_MODULE = `${MODULE}export default { id: 'capitals', cases: [{ id: 'france', prompt: 'Capital of France?', reference: 'Paris', graders: [{ type: 'equals', value: 'Paris' }] }] }\n`
const SIMULATED = ['--model', 'simulated:pass=1']

interface Way {
  readonly files: Record<string, string>
  readonly args: readonly string[]
  /** In the list that is shown. */
  readonly shows: string
  readonly needsSandbox?: boolean
  /** Making the plan alone could start it. */
  readonly looksFirst?: boolean
}

const WAYS: Record<string, Way> = {
  'a custom grader': {
    files: { 'suite.toml': CUSTOM, 'check.ts': CHECK },
    args: ['suite.toml', ...SIMULATED],
    shows: 'start check.ts (grader custom of suite.toml)',
    looksFirst: true,
  },
  'a program grader': {
    files: {
      'suite.toml': suite('graders = [{ type = "program", command = ["sh", "run.sh"] }]'),
      'run.sh': SCRIPT,
    },
    args: ['suite.toml', ...SIMULATED],
    shows: 'start sh run.sh (grader program of suite.toml)',
  },
  'a subject of assay.toml': {
    files: {
      'suite.toml': PLAIN,
      'run.sh': SCRIPT,
      'assay.toml': '[subjects.nice]\ncommand = "sh run.sh"\n',
    },
    args: ['suite.toml', '--model', 'nice'],
    shows: 'start sh run.sh (nice, named in assay.toml)',
  },
  'the model of assay.toml': {
    files: { 'suite.toml': PLAIN, 'run.sh': SCRIPT, 'assay.toml': 'model = "command:sh run.sh"\n' },
    args: ['suite.toml'],
    shows: 'start sh run.sh (command:sh run.sh, named in assay.toml)',
  },
  'a judge of assay.toml, under a simulated subject': {
    files: {
      'suite.toml': JUDGED,
      'run.sh': SCRIPT,
      'assay.toml': 'judges = "command:sh run.sh"\n',
    },
    args: ['suite.toml', ...SIMULATED],
    shows: 'start sh run.sh (command:sh run.sh, named in assay.toml)',
  },
  'a run file': {
    files: { 'suite.toml': PLAIN, 'run.sh': SCRIPT, 'ci.toml': 'model = "command:sh run.sh"\n' },
    args: ['suite.toml', '--config', 'ci.toml'],
    shows: 'start sh run.sh (command:sh run.sh, named in ci.toml)',
  },
  'an experiment': {
    files: {
      'suite.toml': PLAIN,
      'run.sh': SCRIPT,
      'experiment.toml':
        'suites = ["suite.toml"]\ntrials = 1\n[subjects.nice]\ncommand = "sh run.sh"\n',
    },
    args: ['experiment.toml'],
    shows: 'start sh run.sh (nice, named in experiment.toml)',
  },
  'a grader in a suite of an experiment': {
    files: {
      'suite.toml': CUSTOM,
      'check.ts': CHECK,
      'experiment.toml':
        'suites = ["suite.toml"]\ntrials = 1\n[subjects.nice]\nsimulated = "pass=1"\n',
    },
    args: ['experiment.toml'],
    shows: 'start check.ts (grader custom of suite.toml)',
  },
  'the program of an agent, which is even asked for its version': {
    files: {
      'suite.toml': PLAIN,
      'run.sh': `#!/bin/sh\n${SCRIPT}`,
      'assay.toml': '[subjects.nice]\nagent = "claude"\nprogram = "./run.sh"\n',
    },
    args: ['suite.toml', '--model', 'nice'],
    shows: 'start ./run.sh (nice, named in assay.toml)',
    needsSandbox: true,
    looksFirst: true,
  },
  'a run grader without a sandbox': {
    files: {
      'suite.toml': suite(
        `graders = [{ type = "run", command = "touch FOLDER/${STARTED}", answerFile = "a.txt" }]`,
      ),
    },
    args: ['suite.toml', ...SIMULATED, '--sandbox', 'none'],
    shows: '(grader run without a sandbox of suite.toml)',
  },
  'tests without a sandbox': {
    files: {
      'suite.toml': `id = "t"\n[[cases]]\nid = "one"\nprompt = "Write one()"\nlanguage = "python"\nreference = "def one():\\n    return 1"\nfaulty = ["def one():\\n    return 2"]\ntests = """\nopen('FOLDER/${STARTED}', 'w').close()\nassert one() == 1\n"""\n`,
    },
    args: ['suite.toml', ...SIMULATED, '--sandbox', 'none'],
    shows: '(tests without a sandbox of suite.toml)',
  },
}

describe('before a folder is trusted it does not start', () => {
  for (const [name, way] of Object.entries(WAYS)) {
    const { files, args, shows, needsSandbox = false, looksFirst = false } = way
    it.skipIf(needsSandbox && !sandbox.ready)(name, async () => {
      await write(files)
      if (files['run.sh'] !== undefined) await chmod(join(folder, 'run.sh'), 0o755)

      if (looksFirst) {
        const looked = await assay(['run', ...args, '--dry-run'])
        expect(looked.code, looked.said).toBe(0)
        expect(looked.said).toMatch(/^would .*: not trusted yet$/m)
        expect(started()).toBe(false)
      }

      const refused = await assay(['run', ...args, '-o', 'run'])
      expect(refused.code, refused.said).toBe(2)
      expect(refused.said).toContain(shows)
      expect(existsSync(join(folder, 'run'))).toBe(false)
      expect(started()).toBe(false)

      const allow = /always: {2}assay (.*)$/m.exec(refused.said)?.[1] ?? ''
      const given = await assay([...allow.split(' '), '--yes'])
      expect(given.code, given.said).toBe(0)
      expect(started()).toBe(false)

      const ran = await assay(['run', ...args, '-o', 'run', '--max-errors', '1'])
      expect(ran.said).not.toContain('not trusted')
      expect(started(), ran.said).toBe(true)
    })
  }

  it('anything on validate, which says what it has not checked', async () => {
    await write({ 'suite.toml': CUSTOM, 'check.ts': CHECK })
    const checked = await assay(['validate', 'suite.toml'])
    expect(checked.code).toBe(0)
    expect(checked.said).toContain('check.ts was not run, so its options are not checked')
    expect((await assay(['validate', 'suite.toml', '--prove'])).code).toBe(2)
    expect(started()).toBe(false)
    expect((await assay(['validate', 'suite.toml', '--prove', '--trust'])).code).toBe(2)
    expect(started()).toBe(true)
  })

  it('a module that the user names is consent to run it', async () => {
    await write({ 'suite.ts': SUITE_MODULE })
    const { code, said } = await assay(['run', 'suite.ts', ...SIMULATED, '-o', 'run'])
    expect(code, said).toBe(0)
    expect(started()).toBe(true)
  })
})

describe('a run folder from elsewhere', () => {
  const EDITS: Record<string, object> = {
    'a command that answers': { subjects: ['command:sh run.sh'] },
    'a judge that is a command': { judges: ['command:sh run.sh'], suites: ['judged.toml'] },
    'a suite that is a program': { suites: ['suite.ts'] },
    'a run file with a command': { config: 'ci.toml', subjects: ['nice'] },
  }
  for (const [name, edit] of Object.entries(EDITS))
    it(`does not start ${name}`, async () => {
      await write({
        'suite.toml': PLAIN,
        'judged.toml': JUDGED,
        'suite.ts': SUITE_MODULE,
        'run.sh': SCRIPT,
        'ci.toml': '[subjects.nice]\ncommand = "sh run.sh"\n',
      })
      expect((await assay(['run', 'suite.toml', ...SIMULATED, '-o', 'run'])).code).toBe(0)
      const file = join(folder, 'run', 'run.json')
      const record = JSON.parse(await readFile(file, 'utf8')) as {
        revisions: { request: object }[]
      }
      const [revision] = record.revisions
      Object.assign(revision?.request ?? {}, edit)
      await writeFile(file, JSON.stringify(record))
      const refuses = async (...args: string[]): Promise<void> => {
        const { code, said } = await assay(['run', ...args, '--allow-changed'])
        expect(code, said).toBe(2)
        expect(said).toContain('is not trusted yet')
      }
      await refuses('--resume', 'run')
      // Whoever answered is not asked again; who judges is.
      if ('suites' in edit) await refuses('--regrade', 'run', '-o', 'again')
      else await assay(['run', '--regrade', 'run', '-o', 'again'])
      expect(started()).toBe(false)
    })

  it('is continued without a question where the user’s own command line named the command', async () => {
    await write({ 'suite.toml': PLAIN, 'run.sh': SCRIPT })
    const first = await assay(['run', 'suite.toml', '--model', 'command:sh run.sh', '-o', 'run'])
    expect(first.code, first.said).toBe(0)
    const more = ['run', '--resume', 'run', '--trials', '2']
    const again = await assay(more)
    expect(again.code, again.said).toBe(0)
    expect((await assay([...more.slice(0, -1), '3'])).code).toBe(0)
    // Whoever has another configuration did not sign it.
    const other = await assay([...more.slice(0, -1), '4'], {
      XDG_CONFIG_HOME: join(parent, 'else'),
    })
    expect(other.code).toBe(2)
    expect(other.said).toContain('start sh run.sh')
  })
})

describe('keys', () => {
  const ADDRESS = 'https://keys.invalid/v1'
  const PROVIDERS: Record<string, readonly [toml: string, model: string, variable: string]> = {
    'a provider of the folder’s own': [
      `[providers.mine]\nbaseUrl = "${ADDRESS}"\napiKeyEnv = "AWS_SECRET_ACCESS_KEY"\n`,
      'mine/x',
      'AWS_SECRET_ACCESS_KEY',
    ],
    'a known provider at another address': [
      `[providers.openai]\nbaseUrl = "${ADDRESS}"\n`,
      'openai/x',
      'OPENAI_API_KEY',
    ],
    'another variable for a known provider': [
      '[providers.openai]\napiKeyEnv = "AWS_SECRET_ACCESS_KEY"\n',
      'openai/x',
      'AWS_SECRET_ACCESS_KEY',
    ],
    'a local server that is not local': [
      `[providers.vllm]\nbaseUrl = "${ADDRESS}"\napiKeyEnv = "AWS_SECRET_ACCESS_KEY"\n`,
      'vllm/x',
      'AWS_SECRET_ACCESS_KEY',
    ],
  }
  const env = { AWS_SECRET_ACCESS_KEY: SECRET, OPENAI_API_KEY: SECRET }

  for (const [name, [toml, model, variable]] of Object.entries(PROVIDERS))
    it(`are not sent by ${name}, be it only the judge`, async () => {
      await write({ 'suite.toml': JUDGED, 'assay.toml': `${toml}` })
      const args = ['run', 'suite.toml', ...SIMULATED, '--judge', model]
      const { code, said } = await assay([...args, '-o', 'run'], env)
      expect(code, said).toBe(2)
      expect(said).toContain(`send ${variable} to https://`)
      expect(said).not.toContain(SECRET)
    })

  it('are not sent by assay models, and --dry-run says what would be sent', async () => {
    const [toml, model, variable] = PROVIDERS['a local server that is not local'] ?? []
    await write({ 'suite.toml': PLAIN, 'assay.toml': toml ?? '' })
    const models = await assay(['models'], env)
    expect(models.said).toMatch(/^vllm +no +not trusted/m)
    expect(models.said).toMatch(/^vllm +AWS_SECRET_ACCESS_KEY +keys\.invalid$/m)
    const looked = await assay(['run', 'suite.toml', '-m', model ?? '', '--dry-run'], env)
    expect(looked.said).toMatch(new RegExp(`^would send ${variable} to .*: not trusted yet$`, 'm'))
    expect(models.said + looked.said).not.toContain(SECRET)
  })

  it('cross the network in clear text for nobody, trusted or not', async () => {
    let connections = 0
    const server = createServer((socket) => {
      connections++
      socket.destroy()
    })
    await once(server.listen(0), 'listening')
    try {
      // This machine, but not by an address that says so.
      const address = `http://[::ffff:127.0.0.1]:${(server.address() as AddressInfo).port}/v1`
      await write({
        'suite.toml': PLAIN,
        'assay.toml': `[providers.vllm]\nbaseUrl = "${address}"\napiKeyEnv = "AWS_SECRET_ACCESS_KEY"\n`,
      })
      const { code, said } = await assay(['run', 'suite.toml', '-m', 'vllm/x', '--trust'], env)
      expect(code, said).toBe(2)
      expect(said).toContain('AWS_SECRET_ACCESS_KEY would cross the network in clear text')
      const models = await assay(['models', '--trust'], env)
      expect(models.said).toMatch(/^vllm +no +AWS_SECRET_ACCESS_KEY would cross/m)
      const moved = { ...env, OPENAI_BASE_URL: address }
      expect((await assay(['run', 'suite.toml', '-m', 'openai/x'], moved)).code).toBe(2)
      expect(connections).toBe(0)
    } finally {
      server.close()
    }
  })

  it('go to a folder’s address once it is trusted, and the record says which', async () => {
    await write({
      'suite.toml': PLAIN,
      'assay.toml': `[providers.mine]\nbaseUrl = "${ADDRESS}"\napiKeyEnv = "AWS_SECRET_ACCESS_KEY"\n`,
    })
    expect((await assay(['trust', '--yes'], env)).code).toBe(0)
    const run = ['run', 'suite.toml', '-m', 'mine/x', '-o', 'run', '--timeout', '1s']
    expect((await assay(run, env)).code).toBe(3)
    const record = await readFile(join(folder, 'run', 'run.json'), 'utf8')
    expect(JSON.parse(record)).toMatchObject({
      revisions: [
        {
          access: [{ does: 'send', variable: 'AWS_SECRET_ACCESS_KEY', to: 'https://keys.invalid' }],
        },
      ],
    })
    expect(record).not.toContain(SECRET)
    expect((await assay(['trust', '--revoke'], env)).code).toBe(0)
    expect((await assay([...run.slice(0, -2), '-o', 'two'], env)).code).toBe(2)
  })

  it('of an agent are not within reach of an untrusted suite, even where the user names the agent', async () => {
    await write({ 'suite.toml': PLAIN, claude: `#!/bin/sh\n${SCRIPT}` })
    await chmod(join(folder, 'claude'), 0o755)
    const PATH = `${folder}:${process.env['PATH'] ?? ''}`
    const args = ['run', 'suite.toml', '-m', 'agent:claude', '-o', 'run']
    const { code, said } = await assay(args, { PATH, ANTHROPIC_API_KEY: SECRET })
    expect(code, said).toBe(2)
    expect(said).toContain('send ANTHROPIC_API_KEY to agent claude')
    expect(said).toContain('assay trust --model agent:claude suite.toml')
    expect(started()).toBe(false)
  })
})

describe('trust', () => {
  it('is asked for again where a program is added, not where one is edited', async () => {
    await write({ 'suite.toml': CUSTOM, 'check.ts': CHECK })
    const run = (out: string): Promise<Ended> =>
      assay(['run', 'suite.toml', ...SIMULATED, '-o', out])
    expect((await assay(['trust', '--yes'])).code).toBe(0)
    expect((await run('one')).code).toBe(0)
    await write({ 'check.ts': `${CHECK}// edited\n`, 'suite.toml': CUSTOM.replace('Rome', 'Oslo') })
    expect((await run('two')).code).toBe(0)
    const two = '[{ type = "custom", file = "check.ts" }, { type = "custom", file = "more.ts" }]'
    await write({ 'more.ts': CHECK, 'suite.toml': suite(`graders = ${two}`) })
    const added = await run('three')
    expect(added.code).toBe(2)
    expect(added.said).toContain('start more.ts')
    expect(added.said).not.toContain('start check.ts')
  })

  it('of ASSAY_TRUST=1 is for the command that has it', async () => {
    await write({ 'suite.toml': CUSTOM, 'check.ts': CHECK })
    const run = ['run', 'suite.toml', ...SIMULATED]
    expect((await assay([...run, '-o', 'one'], { ASSAY_TRUST: '1' })).code).toBe(0)
    expect((await assay([...run, '-o', 'two'])).code).toBe(2)
  })

  it('is needed for files outside of the repository', async () => {
    await writeFile(join(parent, 'answers.jsonl'), '{"task_id": "france", "completion": "Paris"}\n')
    await write({
      'suite.toml': PLAIN,
      'assay.toml': '[subjects.nice]\nreplay = "../answers.jsonl"\n',
    })
    const { code, said } = await assay(['run', 'suite.toml', '-m', 'nice', '-o', 'run'])
    expect(code, said).toBe(2)
    expect(said).toContain(`read ${join(parent, 'answers.jsonl')} (nice, named in assay.toml)`)
    const own = await assay(['run', 'suite.toml', '-m', 'replay:../answers.jsonl', '-o', 'run'])
    expect(own.code, own.said).toBe(0)
  })
})
