import { expect, it } from 'vitest'
import { testAsk } from '../../../test/ask.ts'
import { fakeSubject, saying } from '../../../test/fakes.ts'
import { SubjectError, type Message } from '@assay/contract'
import { askTurns } from './ask-turns.ts'

const turns: Message[] = ['one', 'two', 'three'].map((content) => ({ role: 'user', content }))
const ask = { ...testAsk(), messages: turns }

it('each turn is asked with all that was said before, and the whole is paid for', async () => {
  const subject = fakeSubject(({ messages }) =>
    saying(`to ${messages.at(-1)?.content}`, { usd: 0.5 }),
  )
  const answer = await askTurns(subject, ask)
  expect(subject.asked.map(({ messages }) => messages.map(({ content }) => content))).toEqual([
    ['one'],
    ['one', 'to one', 'two'],
    ['one', 'to one', 'two', 'to two', 'three'],
  ])
  expect(answer).toMatchObject({ text: 'to three', usd: 1.5, usage: { input: 30, output: 15 } })
})

it('a turn that fails or says nothing ends the conversation', async () => {
  const cut = fakeSubject(() => saying('half', { stop: 'length' }))
  expect(await askTurns(cut, ask)).toMatchObject({ text: 'half', stop: 'length' })
  expect(cut.asked).toHaveLength(1)
  const silent = fakeSubject(() => saying(' '))
  await askTurns(silent, ask)
  expect(silent.asked).toHaveLength(1)
})

it('a failure in the middle counts what was paid before it', async () => {
  const subject = fakeSubject(({ messages }) => {
    if (messages.length > 1)
      throw new SubjectError('busy', { reason: 'provider-error', retry: true, usd: 0.1 })
    return saying('yes', { usd: 0.5 })
  })
  await expect(askTurns(subject, ask)).rejects.toMatchObject({ usd: 0.6, retry: true })
})

it('unknown prices and usage stay unknown', async () => {
  const subject = fakeSubject(({ messages }) =>
    saying('yes', messages.length > 1 ? { usd: null, usage: null } : {}),
  )
  expect(await askTurns(subject, ask)).toMatchObject({ usd: null, usage: null })
})

it('a recording answers a conversation as a whole', async () => {
  const subject = fakeSubject(() => saying('all'), { source: 'replay' })
  await askTurns(subject, ask)
  expect(subject.asked).toHaveLength(1)
})
