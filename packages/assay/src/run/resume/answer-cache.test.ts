/**
 * A cache folder may have come with an untrusted repository. Related: `--cache`, `--trust`, ASSAY_TRUST (cli.test.ts).
 */
import { createHmac } from 'node:crypto'
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Ask } from '@assay/contract'
import { fakeCase, fakeSubject, saying } from '../../../test/fakes.ts'
import { checksumOf } from '../../log/index.ts'
import { AnswerCache } from './answer-cache.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-cache-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const subject = fakeSubject(() => saying('x'))
const ask = (id: string): Ask =>
  ({ messages: [], maxTokens: null, case: fakeCase(id), index: 0 }) as unknown as Ask
const sign = (text: string): string => createHmac('sha256', 'mine').update(text).digest('hex')
const mine = { sign, takesOthers: false }

function fileOf(): string {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const name = names.find((one) => one.endsWith('.json')) ?? ''
  return join(folder, name)
}

it('an answer that the user did not keep is not used unless the folder is trusted, and this is said', async () => {
  const said: string[] = []
  const cache = new AnswerCache(folder, [], mine, (text) => void said.push(text))
  await cache.put(subject, ask('a'), saying('wrong', { files: { 2: 'b', a: 'c' } }), 5)
  expect(await cache.get(subject, ask('a'))).toMatchObject({ text: 'wrong', ms: 5, spentUsd: 0 })
  expect(said).toEqual([])
  const {
    crc: _,
    by,
    ...answer
  } = JSON.parse(readFileSync(fileOf(), 'utf8')) as {
    crc: string
    by: string
  }
  const forged = { ...answer, text: 'right' }
  writeFileSync(fileOf(), JSON.stringify({ ...forged, crc: checksumOf(forged), by }))
  for (let i = 0; i < 2; i++) expect(await cache.get(subject, ask('a'))).toBeNull()
  expect(said).toEqual([expect.stringContaining('were not kept by you')])
  const trusting = new AnswerCache(folder, [], { ...mine, takesOthers: true })
  expect(await trusting.get(subject, ask('a'))).toMatchObject({ text: 'right' })
})

it('the answer to one question is not one to another, though the user kept it', async () => {
  const cache = new AnswerCache(folder, [], mine)
  await cache.put(subject, ask('a'), saying('of a'), 5)
  const kept = readFileSync(fileOf())
  rmSync(fileOf())
  await cache.put(subject, ask('b'), saying('of b'), 5)
  writeFileSync(fileOf(), kept)
  expect(await cache.get(subject, ask('b'))).toBeNull()
})

it('a file of any size is not read whole', async () => {
  const cache = new AnswerCache(folder, [], mine)
  await cache.put(subject, ask('a'), saying('x'), 5)
  truncateSync(fileOf(), 2 ** 40)
  expect(await cache.get(subject, ask('a'))).toBeNull()
})
