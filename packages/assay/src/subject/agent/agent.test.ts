import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { testAsk, testCase } from '../../../test/ask.ts'
import { fakeWorkspace } from '../../../test/fake-workspace.ts'
import type { Prices } from '../model/prices.ts'
import { agentSubject, type AgentOptions } from './agent.ts'
import { claude } from './claude/claude.ts'

const root = realpathSync(mkdtempSync(join(tmpdir(), 'agents-')))
afterAll(() => rmSync(root, { recursive: true, force: true }))

function file(path: string, text: string): string {
  const place = join(root, path)
  mkdirSync(dirname(place), { recursive: true })
  writeFileSync(place, text)
  chmodSync(place, 0o755)
  return place
}

const program = file('bin/claude', '#!/bin/sh\necho "9.9.9 (Claude Code)"\n')
file('skills/tidy/SKILL.md', '---\nname: tidy\n---\n')

const prices: Prices = {
  source: { catalogue: { name: 'test', version: '0' }, file: null },
  cost: ({ provider, model }, usage) =>
    provider === 'anthropic' && model === 'm' ? usage.output / 100 : null,
  price: () => null,
}

const make = (change: Partial<AgentOptions> = {}) =>
  agentSubject({
    id: 'tester',
    kind: claude,
    program,
    model: 'sonnet',
    args: [],
    skills: [],
    files: {},
    mcpServers: {},
    env: {},
    passEnv: [],
    prices,
    ...change,
  })

/** Removes the machine's own proxy, certificate and Claude variables, so that they do not reach the tested agent. */
beforeEach(() => {
  for (const name of Object.keys(process.env))
    if (/proxy|cert|anthropic|claude/iu.test(name)) vi.stubEnv(name, undefined)
})
afterEach(() => {
  vi.unstubAllEnvs()
})

describe('an agent as a subject', () => {
  it('records what determines its answers, and no secret', async () => {
    vi.stubEnv('ANTHROPIC_API_KEY', 'sk-ant-0123456789')
    const subject = await make({
      args: ['--append-system-prompt', 'the key is sk-ant-0123456789'],
      skills: [join(root, 'skills/tidy')],
      files: { 'AGENTS.md': { text: 'Be kind.' } },
      mcpServers: {
        b: { url: 'https://x.example', headers: { Authorization: 'Bearer abcdefghij' } },
        a: { command: 'serve', args: [], env: { TOKEN: 'tok-12345678' } },
      },
      env: { MODE: 'fast' },
      passEnv: ['MY_OWN'],
      timeoutMs: 5000,
    })
    expect(subject).toMatchObject({
      id: 'tester',
      kind: 'agent',
      source: 'live',
      pool: 'agent tester',
      config: {
        agent: 'claude',
        version: '9.9.9 (Claude Code)',
        model: 'sonnet',
        args: ['--append-system-prompt', 'the key is [secret]'],
        skills: { tidy: expect.stringMatching(/^[0-9a-f]{64}$/) },
        files: { 'AGENTS.md': expect.stringMatching(/^[0-9a-f]{64}$/) },
        mcpServers: ['a', 'b'],
        env: ['MODE', 'MY_OWN'],
        timeoutMs: 5000,
      },
    })
    expect(subject.secrets).toEqual([
      'sk-ant-0123456789',
      'Bearer abcdefghij',
      'abcdefghij',
      'tok-12345678',
    ])
    for (const secret of subject.secrets)
      expect(JSON.stringify(subject.config)).not.toContain(secret)
    await subject.close()
  })

  it('is another one with other content under the same name', async () => {
    const skills = [join(root, 'skills/tidy')]
    const one = await make({ skills })
    file('skills/tidy/more.md', 'More.')
    const other = await make({ skills })
    expect(one.config).not.toEqual(other.config)
  })

  it('reserves what the case allows it to cost', async () => {
    const subject = await make()
    expect(subject.estimateUsd(testCase())).toBeNull()
    const limits = { turns: null, toolCalls: null, tokens: null, usd: 0.5 }
    expect(subject.estimateUsd(testCase({ limits }))).toBe(0.5)
  })

  it('gives the program its key, what was named, and nothing else of the environment', async () => {
    vi.stubEnv('ANTHROPIC_API_KEY', 'sk-ant-0123456789')
    vi.stubEnv('MY_OWN', 'mine')
    vi.stubEnv('HTTPS_PROXY', 'http://me:pass@proxy.example')
    vi.stubEnv('SSL_CERT_FILE', program)
    const message = { id: 'msg', model: 'm', usage: { output_tokens: 3 } }
    const stream = { ...message, content: [{ type: 'text', text: 'key sk-ant-0123456789' }] }
    const event = { type: 'assistant', message: stream }
    const workspace = fakeWorkspace([{ prints: [`${JSON.stringify(event)}\n`] }])
    const subject = await make({
      env: { MODE: 'fast' },
      passEnv: ['MY_OWN', 'NOT_SET'],
      gateway: false,
    })
    const answer = await subject.answer(testAsk({ openWorkspace: async () => workspace }))
    const [ran] = workspace.ran
    expect(ran?.argv.slice(0, 2)).toEqual([program, '-p'])
    expect(ran?.reads).toEqual([dirname(program), program])
    expect(ran?.env).toEqual({
      TERM: 'dumb',
      NO_COLOR: '1',
      HTTPS_PROXY: 'http://me:pass@proxy.example',
      SSL_CERT_FILE: program,
      ...claude.env,
      ANTHROPIC_API_KEY: 'sk-ant-0123456789',
      MY_OWN: 'mine',
      MODE: 'fast',
    })
    // Graders see the unmasked answer. Only the log masks the key.
    expect(answer).toMatchObject({ text: 'key sk-ant-0123456789', usd: 0.03 })
  })

  it('ends what it does when it is closed', async () => {
    const subject = await make()
    const workspace = fakeWorkspace(() => {
      void subject.close()
      return { prints: ['x\n'] }
    })
    await expect(
      subject.answer(testAsk({ openWorkspace: async () => workspace })),
    ).rejects.toMatchObject({ reason: 'not-started' })
    expect(workspace.closed).toBe(1)
  })

  it.each([
    [{ program: '/no/such/claude' }, /no program at .*Install it \(npm install/],
    [{ skills: ['/no/such/skill'] }, /no skill in \/no\/such\/skill/],
    [{ skills: [join(root, 'skills/tidy'), join(root, 'other/tidy')] }, /two of its skills/],
    [{ files: { '../x': { text: '' } } }, /does not stay in the workspace/],
    [{ files: { '/etc/x': { text: '' } } }, /does not stay in the workspace/],
    [{ files: { x: { from: '/no/such/file' } } }, /no \/no\/such\/file/],
  ])('is refused before anything is paid: %o', async (change, message) => {
    await expect(make(change)).rejects.toThrow(message)
  })

  it('has no version where the program does not say one', async () => {
    const broken = file('bin/broken', '#!/bin/sh\nexit 3\n')
    expect((await make({ program: broken })).config).toMatchObject({ version: null })
  })
})
