import { expect, it } from 'vitest'
import { requestDifference } from './request-difference.ts'

const request = (change: object) => ({
  model: 'm',
  metadata: { user_id: 'a' },
  messages: [
    { role: 'user', content: 'Today is Wed Nov 18 2026, 10:31. Add 2 and 3.' },
    { role: 'tool', tool_call_id: 'c', content: 'took 31 ms' },
  ],
  ...change,
})

it.each([
  ['equal requests', {}, null],
  ['another session', { metadata: { user_id: 'b' } }, null],
  [
    'another day',
    {
      messages: [
        { role: 'user', content: 'Today is Thu Nov 19 2026, 9:02. Add 2 and 3.' },
        request({}).messages[1],
      ],
    },
    null,
  ],
  [
    'another model',
    { model: 'n' },
    { path: 'model', recorded: '"m"', now: '"n"', isResult: false },
  ],
  [
    'another task',
    {
      messages: [
        { role: 'user', content: 'Today is Wed Nov 18 2026, 10:31. Add 2 and 4.' },
        request({}).messages[1],
      ],
    },
    { path: 'messages[0].content', isResult: false },
  ],
  [
    'another result of a tool',
    {
      messages: [
        request({}).messages[0],
        { role: 'tool', tool_call_id: 'c', content: 'took 32 ms' },
      ],
    },
    { path: 'messages[1].content', isResult: true },
  ],
  [
    'a message less',
    { messages: [request({}).messages[0]] },
    { path: 'messages[1]', now: 'nothing' },
  ],
  ['another setting', { tools: [] }, { path: 'tools', recorded: 'nothing', isResult: false }],
])('%s differ where they should', (_, change, expected) => {
  const found = requestDifference(request({}), request(change))
  if (expected === null) expect(found).toBeNull()
  else expect(found).toMatchObject(expected)
})

it('a difference in what was asked is told before one in the result of a tool', () => {
  const before = { messages: [{ role: 'tool', content: '1' }], system: 'a' }
  const after = { messages: [{ role: 'tool', content: '2' }], system: 'b' }
  expect(requestDifference(before, after)).toMatchObject({ path: 'system' })
})

it('times since 1970 are not compared, other numbers are', () => {
  expect(requestDifference({ at: 1794985700.67 }, { at: 1794985739.8 })).toBeNull()
  expect(requestDifference({ n: 2 }, { n: 3 })).toMatchObject({ path: 'n' })
})

it('a text with a masked secret is not compared', () => {
  expect(requestDifference({ a: 'key [secret]' }, { a: 'key 123' })).toBeNull()
})
