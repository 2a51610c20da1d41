/**
 * What needs trust, which repository gets it, and where it is stored. Tests of the command itself are in
 * test/trust.test.ts.
 */
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { graders } from '../grade/index.ts'
import type { ProviderSettings } from '../subject/index.ts'
import {
  allow,
  consentedIn,
  decideTrust,
  isOutsideRoot,
  namedIn,
  identityOf,
  needsTrust,
  providerUses,
  readTrust,
  repositoryRoot,
  revoke,
  signConsent,
  byUserIn,
  subjectUses,
  type SubjectAt,
  useText,
  type Use,
} from './index.ts'

const folder = mkdtempSync(join(tmpdir(), 'assay-trust-'))
afterAll(() => rmSync(folder, { recursive: true }))

let next = 0
const freshEnv = (): { XDG_CONFIG_HOME: string } => ({
  XDG_CONFIG_HOME: join(folder, `config-${next++}`),
})
const made = (path: string): string => {
  mkdirSync(join(folder, path), { recursive: true })
  return join(folder, path)
}

describe('the repository of a folder', () => {
  it('is the nearest with .git, else the nearest with assay.toml, else the folder itself', () => {
    made('git/.git')
    const deep = made('git/a/b')
    writeFileSync(join(folder, 'git/a/assay.toml'), '')
    expect(repositoryRoot(deep)).toBe(join(folder, 'git'))
    const project = made('project/evals')
    writeFileSync(join(folder, 'project/assay.toml'), '')
    expect(repositoryRoot(project)).toBe(join(folder, 'project'))
    expect(repositoryRoot(made('bare/x'))).toBe(join(folder, 'bare/x'))
    expect(repositoryRoot(join(folder, 'bare/x/not/there'))).toBe(join(folder, 'bare/x/not/there'))
  })

  // This test also covers: `.git` and assay.toml in the home folder and above it; folders without a repository.
  it('holds no home folder, be there .git or assay.toml in it', () => {
    const home = made('home/user')
    const before = process.env['HOME']
    process.env['HOME'] = home
    try {
      for (const [above, sign] of [
        ['home/user', '.git'],
        ['home', '.git'],
        ['home/user', 'assay.toml'],
      ] as const) {
        made(`${above}/${sign}`)
        const unpacked = made('home/user/downloads/archive')
        expect(repositoryRoot(unpacked)).toBe(unpacked)
        writeFileSync(join(unpacked, 'assay.toml'), '')
        expect(repositoryRoot(made('home/user/downloads/archive/deep'))).toBe(unpacked)
        for (const one of [join(unpacked, 'assay.toml'), join(folder, above, sign)])
          rmSync(one, { recursive: true })
      }
      made('home/user/project/.git')
      expect(repositoryRoot(made('home/user/project/deep'))).toBe(join(home, 'project'))
    } finally {
      process.env['HOME'] = before
    }
  })

  it('is left by .. and by links, also to what does not exist', () => {
    const root = made('inside')
    symlinkSync(folder, join(root, 'out'))
    expect(isOutsideRoot(root, join(root, 'a/b'))).toBe(false)
    expect(isOutsideRoot(root, join(root, '..'))).toBe(true)
    expect(isOutsideRoot(root, join(root, 'out/secret'))).toBe(true)
    expect(isOutsideRoot(root, join(root, '..inside'))).toBe(false)
  })
})

describe('the store', () => {
  it('keeps what is allowed, for its owner alone, until it is revoked', () => {
    const env = freshEnv()
    allow(env, '/r', ['b', 'a'])
    allow(env, '/r', ['a', 'c'])
    allow(env, '/s', [])
    const { file, roots, damage } = readTrust(env)
    expect(damage).toBeNull()
    expect([...roots]).toEqual([
      ['/r', ['a', 'b', 'c']],
      ['/s', []],
    ])
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(revoke(env, '/r')).toBe(true)
    expect(revoke(env, '/r')).toBe(false)
    expect([...readTrust(env).roots.keys()]).toEqual(['/s'])
  })

  it.each([
    ['{"assay": "trust", "ver', 'half of it'],
    ['{"assay": "trust", "version": 2, "roots": {}}', 'another version'],
    ['{"assay": "trust", "version": 1, "roots": {"/r": {"allowed": "all"}}}', 'another shape'],
    ['[]', 'a list'],
  ])('%s counts as empty and stays as it is', (text) => {
    const env = freshEnv()
    const { file } = readTrust(env)
    allow(env, '/r', ['a'])
    writeFileSync(file, text)
    const { roots, damage } = readTrust(env)
    expect(roots.size).toBe(0)
    expect(damage).not.toBeNull()
    expect(() => allow(env, '/r', ['b'])).toThrow('is damaged and stays as it is')
    expect(readFileSync(file, 'utf8')).toBe(text)
  })

  it('ignores a relative XDG_CONFIG_HOME', () => {
    expect(readTrust({ XDG_CONFIG_HOME: 'here', HOME: '/home/u' }).file).toBe(
      '/home/u/.config/assay/trust.json',
    )
  })
})

describe('a key', () => {
  const by = namedIn(join(folder, 'assay.toml'))
  const pairs = (
    name: string,
    settings: ProviderSettings | undefined,
    env: Record<string, string>,
  ): [string, boolean][] =>
    providerUses(
      name,
      { providers: settings === undefined ? {} : { [name]: settings }, env, providerBy: () => by },
      'x',
    ).map((use) => [`${use.variable} ${use.to}`, needsTrust(use)])
  const KEYS = { OPENAI_API_KEY: 'k', OTHER: 'k', GEMINI_API_KEY: 'k' }

  it.each<[string, ProviderSettings | undefined, Record<string, string>, string, boolean]>([
    ['openai', undefined, {}, 'OPENAI_API_KEY https://api.openai.com', false],
    [
      'openai',
      undefined,
      { OPENAI_BASE_URL: 'https://proxy.example' },
      'OPENAI_API_KEY https://proxy.example',
      false,
    ],
    ['openai', { api: 'chat' }, {}, 'OPENAI_API_KEY https://api.openai.com', false],
    [
      'openai',
      { baseUrl: 'https://api.openai.com/v2' },
      {},
      'OPENAI_API_KEY https://api.openai.com',
      false,
    ],
    [
      'openai',
      { baseUrl: 'https://api.openai.com:8443' },
      {},
      'OPENAI_API_KEY https://api.openai.com:8443',
      true,
    ],
    [
      'openai',
      { baseUrl: 'https://api.openai.com.evil.example' },
      {},
      'OPENAI_API_KEY https://api.openai.com.evil.example',
      true,
    ],
    ['openai', { apiKeyEnv: 'OTHER' }, {}, 'OTHER https://api.openai.com', true],
    [
      'openai',
      { apiKeyEnv: 'OTHER' },
      { OPENAI_BASE_URL: 'https://p.example' },
      'OTHER https://p.example',
      true,
    ],
    // The owner of the key can see the requests made with it, even if the environment sets the address.
    ['openai', { apiKey: 'k' }, {}, 'apiKey in assay.toml https://api.openai.com', true],
    [
      'openai',
      { apiKey: 'k' },
      { OPENAI_BASE_URL: 'https://p.example' },
      'apiKey in assay.toml https://p.example',
      true,
    ],
    ['vllm', { apiKey: 'k' }, {}, 'apiKey in assay.toml http://127.0.0.1:8000', false],
    [
      'mine',
      { baseUrl: 'https://m.example', apiKey: 'k' },
      {},
      'apiKey in assay.toml https://m.example',
      true,
    ],
    [
      'mine',
      { baseUrl: 'https://m.example', apiKeyEnv: 'OTHER' },
      {},
      'OTHER https://m.example',
      true,
    ],
    // Even without a key, the server gets the cases, answers and files.
    ['mine', { baseUrl: 'https://m.example' }, {}, 'null https://m.example', true],
    ['vllm', { baseUrl: 'http://192.0.2.2:1' }, {}, 'null http://192.0.2.2:1', true],
    ['mine', { baseUrl: 'http://127.0.0.1:1' }, {}, 'null http://127.0.0.1:1', false],
    ['mine', { baseUrl: 'https://api.openai.com' }, {}, 'null https://api.openai.com', false],
    [
      'mine',
      { baseUrl: 'https://m.example', apiKeyEnv: 'NOT_SET' },
      {},
      'null https://m.example',
      false,
    ],
    ['vllm', {}, { VLLM_BASE_URL: 'http://192.0.2.2:1' }, 'null http://192.0.2.2:1', false],
    // A server on this machine may forward a key.
    [
      'openai',
      { baseUrl: 'http://127.0.0.1:1', apiKeyEnv: 'OTHER' },
      {},
      'OTHER http://127.0.0.1:1',
      true,
    ],
    ['openai', { baseUrl: 'http://127.0.0.1:1' }, {}, 'OPENAI_API_KEY http://127.0.0.1:1', false],
    [
      'mine',
      { baseUrl: 'http://127.0.0.1:1', apiKey: 'k' },
      {},
      'apiKey in assay.toml http://127.0.0.1:1',
      false,
    ],
    [
      'mine',
      { baseUrl: 'https://api.openai.com/v1', apiKeyEnv: 'OPENAI_API_KEY' },
      {},
      'OPENAI_API_KEY https://api.openai.com',
      false,
    ],
    [
      'openrouter',
      { apiKeyEnv: 'OPENAI_API_KEY' },
      {},
      'OPENAI_API_KEY https://openrouter.ai',
      true,
    ],
    ['google', { baseUrl: 'https://g.example' }, {}, 'GEMINI_API_KEY https://g.example', true],
    ['gemini', undefined, {}, 'GEMINI_API_KEY https://generativelanguage.googleapis.com', false],
    [
      'mine',
      { baseUrl: 'http://localhost:1/v1', apiKey: 'k' },
      {},
      'apiKey in assay.toml http://localhost:1',
      false,
    ],
    [
      'mine',
      { baseUrl: 'http://127.8.9.1:1', apiKey: 'k' },
      {},
      'apiKey in assay.toml http://127.8.9.1:1',
      false,
    ],
    [
      'mine',
      { baseUrl: 'http://0x7f.1:1', apiKey: 'k' },
      {},
      'apiKey in assay.toml http://127.0.0.1:1',
      false,
    ],
    [
      'mine',
      { baseUrl: 'http://[::1]:1', apiKey: 'k' },
      {},
      'apiKey in assay.toml http://[::1]:1',
      false,
    ],
    [
      'mine',
      { baseUrl: 'https://localhost.evil.example', apiKeyEnv: 'OTHER' },
      {},
      'OTHER https://localhost.evil.example',
      true,
    ],
    [
      'mine',
      { baseUrl: 'https://127.0.0.1.evil.example', apiKeyEnv: 'OTHER' },
      {},
      'OTHER https://127.0.0.1.evil.example',
      true,
    ],
  ])('of %s with %j and %j: %s needs trust: %s', (name, settings, env, pair, needed) => {
    expect(pairs(name, settings, { ...KEYS, ...env })).toEqual([[pair, needed]])
  })

  it('names the variable that the address is from, and not the file that names its key', () => {
    const reach = {
      providers: { openai: { apiKeyEnv: 'OTHER' } },
      env: { OTHER: 'k', OPENAI_BASE_URL: 'https://proxy.example/v1' },
      providerBy: () => namedIn('assay.toml'),
    }
    expect(providerUses('openai', reach, 'openai/x').map(useText)).toEqual([
      'send OTHER to https://proxy.example (openai/x, OTHER named in assay.toml, the address from OPENAI_BASE_URL)',
    ])
  })

  it('is listed by every variable that could hold it, where trust is given before', () => {
    const reach = {
      providers: { google: { baseUrl: 'https://g.example' } },
      env: null,
      providerBy: () => by,
    }
    expect(providerUses('google', reach, 'x').map(({ variable }) => variable)).toEqual([
      'GOOGLE_GENERATIVE_AI_API_KEY',
      'GEMINI_API_KEY',
    ])
  })
})

describe('a subject that a file describes', () => {
  const root = made('subject')
  made('subject/.git')
  const by = namedIn(join(root, 'assay.toml'))
  const uses = (
    subject: object,
    env: Record<string, string> | null = null,
    more: Partial<SubjectAt> = {},
  ): Promise<Use[]> =>
    subjectUses({
      ...{ id: 's', subject, by, folder: root, workFolder: root, cases: [], providers: {} },
      providerBy: () => by,
      env,
      unsandboxed: false,
      ...more,
      findRun: (name) => join(folder, 'victim', name),
    })

  it('lists the cases that tell an agent what to do without a sandbox', async () => {
    const cases = [namedIn(join(root, 'suite.toml'))]
    const agent = { agent: 'claude' }
    const texts = async (more: Partial<SubjectAt>): Promise<string[]> =>
      (await uses(agent, {}, more)).filter(needsTrust).map(useText)
    expect(await texts({ by: byUserIn(root), cases })).toEqual([])
    // Suites with the same name in two folders are two.
    const both = [...cases, namedIn(join(root, 'sub/suite.toml'))]
    const found = await uses(agent, {}, { by: byUserIn(root), cases: both, unsandboxed: true })
    expect(new Set(found.filter(needsTrust).map(identityOf)).size).toBe(2)
    expect(await texts({ by: byUserIn(root), cases, unsandboxed: true })).toEqual([
      expect.stringContaining(`start 'agent claude on the cases of' suite.toml`),
    ])
  })

  it('lists the replies that tell a replayed agent what to do without a sandbox', async () => {
    made('subject/runs/r')
    const agent = { agent: 'claude', traffic: { run: join(root, 'runs/r'), subject: 'agent:x' } }
    const texts = async (unsandboxed: boolean): Promise<string[]> =>
      (await uses(agent, {}, { by: byUserIn(root), cases: [by], unsandboxed }))
        .filter(needsTrust)
        .map(useText)
    expect(await texts(false)).toEqual([])
    expect(await texts(true)).toEqual([
      expect.stringContaining(`start 'what the recorded replies say of' r in`),
    ])
  })

  it('lists its program, its variables, its servers and what it reads elsewhere', async () => {
    const agent = {
      agent: 'claude',
      program: './mine',
      args: ['--settings', 'x'],
      env: { ANTHROPIC_BASE_URL: 'https://evil.example/v1' },
      passEnv: ['AWS_SECRET_ACCESS_KEY'],
      mcpServers: { a: { command: 'sh', args: ['a.sh'] }, b: { url: 'https://mcp.example/x' } },
      skills: ['skills/ok', '../elsewhere'],
      files: { 'k.txt': '/etc/hostname' },
    }
    const found = await uses(agent, { ANTHROPIC_API_KEY: 'k', AWS_SECRET_ACCESS_KEY: 'k' })
    expect(found.map((use) => `${needsTrust(use)} ${useText(use).split(' (')[0]}`)).toEqual([
      expect.stringMatching(/^true start \.\/mine --settings x/u),
      'true send ANTHROPIC_API_KEY to agent claude',
      'true send ANTHROPIC_API_KEY to https://evil.example',
      'true send AWS_SECRET_ACCESS_KEY to agent claude',
      `true read ${join(folder, 'elsewhere')}`,
      'true read /etc/hostname',
      expect.stringMatching(/^true start sh a\.sh/u),
      'true contact https://mcp.example, without a key',
    ])
  })

  // This test also covers: an agent's own keys, `passEnv` of an agent and of a command, and values that are not
  // shown.
  it('lists the variables by which a key could be diverted, and asks again when one is added', async () => {
    const env = { ANTHROPIC_API_KEY: 'k', HOUSE_KEY: 'k' }
    const sent = async (subject: object): Promise<string[]> =>
      (await uses(subject, env))
        .filter(({ does }) => does === 'send')
        .map((use) => useText(use).split(' (')[0] ?? '')
    const diverted = {
      ...{ HTTPS_PROXY: 'me:pass@evil.example:8080', NODE_TLS_REJECT_UNAUTHORIZED: '0' },
      ...{ EFFORT: 'high', MY_TOKEN: 'secret' },
    }
    const how = `with 'HTTPS_PROXY=…@evil.example:8080' NODE_TLS_REJECT_UNAUTHORIZED=0`
    expect(await sent({ agent: 'claude', env: diverted, passEnv: ['HOUSE_KEY'] })).toEqual([
      `send ANTHROPIC_API_KEY to agent claude ${how}`,
      `send HOUSE_KEY to agent claude ${how}`,
    ])
    expect(await sent({ agent: 'claude', env: { EFFORT: 'high' } })).toEqual([
      'send ANTHROPIC_API_KEY to agent claude',
    ])
    expect(
      await sent({ agent: 'claude', env: { ANTHROPIC_BASE_URL: ' https:evil.example' } }),
    ).toEqual([
      `send ANTHROPIC_API_KEY to agent claude with 'ANTHROPIC_BASE_URL= https:evil.example'`,
    ])
    expect(
      await sent({ command: 'x', env: { ALL_PROXY: 'evil:1' }, passEnv: ['HOUSE_KEY'] }),
    ).toEqual(['send HOUSE_KEY to x with ALL_PROXY=evil:1'])
  })

  it('needs nothing where it is a model at its own address, or simulated', async () => {
    made('subject/runs/1')
    const env = { OPENAI_API_KEY: 'k' }
    for (const subject of [
      { model: 'openai/gpt-5' },
      { simulated: 'pass=1' },
      { replay: 'runs/1' },
    ])
      expect((await uses(subject, env)).filter(needsTrust)).toEqual([])
  })

  it('is checked by the folder that the name of a run stands for', async () => {
    made('subject/own#')
    const texts = await Promise.all(
      ['latest', 'start-of-a-name#x', 'own#/../../victim/run', 'own#', 'own##x'].map(
        async (replay) => (await uses({ replay })).map((use) => useText(use).split(' (')[0]),
      ),
    )
    expect(texts).toEqual([
      [`read ${join(folder, 'victim/latest')}`],
      [`read ${join(folder, 'victim/start-of-a-name')}`],
      [`read ${join(folder, 'victim/own')}`],
      [],
      [],
    ])
    made('victim/run')
    const [use] = await uses({ replay: 'own#/../../victim/run' })
    expect(use).toMatchObject({ does: 'read', path: join(folder, 'victim/run') })
  })

  it('is another program with another word or in another folder, and the same otherwise', async () => {
    const env = freshEnv()
    const [one] = await uses({ command: 'sh a.sh', cwd: 'x' })
    const decide = async (subject: object): Promise<boolean> =>
      decideTrust(await uses(subject), { store: readTrust(env), all: false }).trusted
    if (one === undefined) throw new Error('a command is a use')
    allow(env, root, [`start ["sh","a.sh"] in x`])
    expect(await decide({ command: ['sh', 'a.sh'], cwd: './x', timeoutMs: 5 })).toBe(true)
    expect(await decide({ command: 'sh a.sh' })).toBe(false)
    expect(await decide({ command: 'sh a.sh -x', cwd: 'x' })).toBe(false)
    expect(await decide({ command: 'sh a.sh', cwd: 'x', passEnv: ['KEY'] })).toBe(false)
  })
})

describe('consent', () => {
  const use: Use = {
    does: 'start',
    words: ['sh', 'a.sh'],
    in: folder,
    by: { file: null, root: folder, isCode: false },
    for: 's',
  }

  it('holds for the user who gave it, in the same repository, unchanged', () => {
    const env = freshEnv()
    const given = signConsent(env, '/r', [use])
    expect(consentedIn(env, '/r', given).size).toBe(1)
    expect(consentedIn(env, '/other', given).size).toBe(0)
    expect(consentedIn(freshEnv(), '/r', given).size).toBe(0)
    expect(
      consentedIn(env, '/r', { ...given, named: [...(given?.named ?? []), '["start"]'] }).size,
    ).toBe(0)
    for (const odd of [null, undefined, 3, {}, { named: [], signature: 5 }, { named: 'x' }])
      expect(consentedIn(env, '/r', odd).size).toBe(0)
  })

  it('is never given to send a key', () => {
    const send: Use = {
      ...{
        does: 'send',
        variable: 'K',
        to: 'https://x.example',
        isSafe: false,
        by: use.by,
        for: 's',
      },
    }
    expect(signConsent(freshEnv(), '/r', [send])).toBeNull()
  })

  it('is left out where the configuration cannot be written', () => {
    const shut = made('shut')
    writeFileSync(join(shut, 'assay'), 'a file where a folder should be')
    chmodSync(join(shut, 'assay'), 0o600)
    expect(signConsent({ XDG_CONFIG_HOME: shut }, '/r', [use])).toBeNull()
  })
})

it('every grader that runs with the user’s rights says what it starts', () => {
  const silent = graders.filter((one) => one.runsAsUser === true && one.starts === undefined)
  expect(silent.map(({ type }) => type)).toEqual([])
})
