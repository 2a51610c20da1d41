import { afterEach, expect, it, vi } from 'vitest'
import { addOwnVariables, hideSecrets, ownVariable, secretsIn } from './secrets.ts'

afterEach(() => vi.unstubAllEnvs())

it('takes values for secret by the names of their variables, and by passwords in addresses', () => {
  expect(
    secretsIn({
      HOUSE_API_KEY: 'one',
      GH_PAT: 'two',
      DATABASE_URL: 'postgres://u:three@h/db',
      PATH: '/usr/bin',
      HTTPS_PROXY: 'http://proxy:8080',
      PATTERN: 'x',
      PWD: '/home/me/project',
      GIT_AUTHOR_NAME: 'me',
      Authorization: 'four',
      TOKENIZERS_PARALLELISM: 'false',
    }),
  ).toEqual(['one', 'two', 'postgres://u:three@h/db', 'three', 'four'])
})

it('does not hide what decides where programs and settings are, though a folder calls it a key', () => {
  vi.stubEnv('HOME', '/home/of-the-user')
  vi.stubEnv('XDG_CONFIG_HOME', '/home/of-the-user/.config')
  vi.stubEnv('HOUSE', 'a-long-key')
  hideSecrets(['HOME', 'PATH', 'XDG_CONFIG_HOME', 'HOUSE'])
  expect(process.env).toMatchObject({
    HOME: '/home/of-the-user',
    XDG_CONFIG_HOME: '/home/of-the-user/.config',
  })
  expect(process.env['PATH']).toBeDefined()
  expect([process.env['HOUSE'], ownVariable('HOUSE')]).toEqual([undefined, 'a-long-key'])
})

it('keeps the variables of a file out of what child processes inherit', () => {
  addOwnVariables(new Map([['FROM_FILE', 'x']]))
  expect([process.env['FROM_FILE'], ownVariable('FROM_FILE')]).toEqual([undefined, 'x'])
})
