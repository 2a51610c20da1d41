import { expect, it } from 'vitest'
import { secretsIn } from './secrets.ts'

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
