/**
 * No key goes to an address that a folder names before the user trusts it, and none over plain http to another machine.
 * Programs of a folder, and the list of related code paths: trust.test.ts.
 */
import { once } from 'node:events'
import { chmod, readFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { JUDGED, PLAIN, SCRIPT, SIMULATED, untrustedFolder } from './untrusted-folder.ts'

const SECRET = 'wJalrXUtnFEMI-K7MDENG-bPxRfiCYEXAMPLEKEY'
const evil = untrustedFolder()

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
      await evil.write({ 'suite.toml': JUDGED, 'assay.toml': toml })
      const args = ['run', 'suite.toml', ...SIMULATED, '--judge', model]
      const { code, said } = await evil.assay([...args, '-o', 'run'], env)
      expect(code, said).toBe(2)
      expect(said).toContain(`send ${variable} to https://`)
      expect(said).not.toContain(SECRET)
    })

  it('are not sent by assay models, and --dry-run says what would be sent', async () => {
    const [toml, model, variable] = PROVIDERS['a local server that is not local'] ?? []
    await evil.write({ 'suite.toml': PLAIN, 'assay.toml': toml ?? '' })
    const models = await evil.assay(['models'], env)
    expect(models.said).toMatch(/^vllm +no +not trusted/m)
    expect(models.said).toMatch(/^vllm +AWS_SECRET_ACCESS_KEY +keys\.invalid$/m)
    const looked = await evil.assay(['run', 'suite.toml', '-m', model ?? '', '--dry-run'], env)
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
      // An address of this machine that does not look like one.
      const address = `http://[::ffff:127.0.0.1]:${(server.address() as AddressInfo).port}/v1`
      await evil.write({
        'suite.toml': PLAIN,
        'assay.toml': `[providers.vllm]\nbaseUrl = "${address}"\napiKeyEnv = "AWS_SECRET_ACCESS_KEY"\n`,
      })
      const { code, said } = await evil.assay(['run', 'suite.toml', '-m', 'vllm/x', '--trust'], env)
      expect(code, said).toBe(2)
      expect(said).toContain('AWS_SECRET_ACCESS_KEY would cross the network in clear text')
      const models = await evil.assay(['models', '--trust'], env)
      expect(models.said).toMatch(/^vllm +no +AWS_SECRET_ACCESS_KEY would cross/m)
      const moved = { ...env, OPENAI_BASE_URL: address }
      expect((await evil.assay(['run', 'suite.toml', '-m', 'openai/x'], moved)).code).toBe(2)
      expect(connections).toBe(0)
    } finally {
      server.close()
    }
  })

  it('go to a folder’s address once it is trusted, and the record says which', async () => {
    await evil.write({
      'suite.toml': PLAIN,
      'assay.toml': `[providers.mine]\nbaseUrl = "${ADDRESS}"\napiKeyEnv = "AWS_SECRET_ACCESS_KEY"\n`,
    })
    expect((await evil.assay(['trust', '--yes'], env)).code).toBe(0)
    const run = ['run', 'suite.toml', '-m', 'mine/x', '-o', 'run', '--timeout', '1s']
    expect((await evil.assay(run, env)).code).toBe(3)
    const record = await readFile(join(evil.path, 'run', 'run.json'), 'utf8')
    expect(JSON.parse(record)).toMatchObject({
      revisions: [
        {
          access: [{ does: 'send', variable: 'AWS_SECRET_ACCESS_KEY', to: 'https://keys.invalid' }],
        },
      ],
    })
    expect(record).not.toContain(SECRET)
    expect((await evil.assay(['trust', '--revoke'], env)).code).toBe(0)
    expect((await evil.assay([...run.slice(0, -2), '-o', 'two'], env)).code).toBe(2)
  })

  it('of an agent are not within reach of an untrusted suite, even where the user names the agent', async () => {
    await evil.write({ 'suite.toml': PLAIN, claude: `#!/bin/sh\n${SCRIPT}` })
    await chmod(join(evil.path, 'claude'), 0o755)
    const PATH = `${evil.path}:${process.env['PATH'] ?? ''}`
    const args = ['run', 'suite.toml', '-m', 'agent:claude', '-o', 'run']
    const { code, said } = await evil.assay(args, { PATH, ANTHROPIC_API_KEY: SECRET })
    expect(code, said).toBe(2)
    expect(said).toContain('send ANTHROPIC_API_KEY to agent claude')
    expect(said).toContain('assay trust --model agent:claude suite.toml')
    expect(evil.started()).toBe(false)
  })
})
