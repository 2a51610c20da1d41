/**
 * Tests commands that declare an event format, on cases without a workspace. The last answer is graded, and the
 * command's actions, usage and cost are recorded.
 *
 * These code paths were checked: one turn and several (with and without `{session}`); the prompt on stdin, as an
 * argument and as JSON; every event format; `answerAs = "json"` together with events; commands as judges; timeouts,
 * exit codes, limits, budgets, the answer cache and empty answers; cases with a workspace, whose behaviour did not
 * change (command-in-workspace.test.ts). Which graders need a trajectory is tested in run/check-traces.test.ts.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { testAsk, testCase } from '../../../../test/ask.ts'
import type { Message } from '@assay/contract'
import { askTurns } from '../../../run/schedule/ask-turns.ts'
import { answerFailure } from '../../../grade/index.ts'
import { commandSubject, type CommandOptions } from '../../command/command.ts'

const folder = mkdtempSync(join(tmpdir(), 'events-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const says = (...events: (object | string)[]): string[] => {
  const lines = events.map((event) => (typeof event === 'string' ? event : JSON.stringify(event)))
  return ['sh', '-c', `cat > /dev/null; printf '%s\\n' "$@"`, 'sh', ...lines]
}
const WORK = [
  { type: 'tool-call', id: '1', name: 'search', args: { q: 'x' } },
  { type: 'tool-result', id: '1', text: 'found' },
  { type: 'usage', model: 'm', input: 10, output: 5, usd: 0.002 },
]
const DONE = { type: 'done', answer: 'Paris' }

const subject = (argv: readonly string[], options: Partial<CommandOptions> = {}) =>
  commandSubject({ id: 'cmd', argv, events: 'assay', cwd: folder, ...options })

describe('a command that tells events, without a workspace', () => {
  it('is read by its events, and lines that are none are plain output', async () => {
    const argv = says('starting', ...WORK, '{"type":"broken"', '[1]', DONE)
    const answer = await subject(argv).answer(testAsk())
    expect(answer).toMatchObject({
      text: 'Paris',
      stop: 'end',
      usd: 0.002,
      usage: { input: 10, output: 5 },
      trajectory: { format: 'assay', complete: true, turns: 1 },
    })
    expect(answer.trajectory?.steps.map(({ kind }) => kind)).toEqual([
      'message',
      'tool-call',
      'message',
      'message',
    ])
    expect(answer.stream).toContain('"type":"broken"')
    expect(answer).not.toHaveProperty('diff')
  })

  it('is plain text where it declares none, also where the text looks like events', async () => {
    const { events: _, ...plain } = { events: 1, id: 'cmd', argv: says(DONE), cwd: folder }
    expect(await commandSubject(plain).answer(testAsk())).toMatchObject({
      text: JSON.stringify(DONE),
    })
    const asText = await subject(says(DONE), { events: 'text' }).answer(testAsk())
    expect(asText.text).toBe(JSON.stringify(DONE))
    expect(asText).not.toHaveProperty('trajectory')
  })

  it('may tell those of an agent', async () => {
    const result = { type: 'result', subtype: 'success', result: 'hi', modelUsage: {} }
    const answer = await subject(says(result), { events: 'claude' }).answer(testAsk())
    expect(answer).toMatchObject({ text: 'hi', trajectory: { format: 'claude' } })
  })

  it('cannot print an envelope too', () => {
    expect(() => subject(['x'], { answerAs: 'json' })).toThrow('answerAs = "json" and events')
  })

  it('gets the prompt as it asks for it', async () => {
    const echo = (words: string): readonly string[] => [
      'sh',
      '-c',
      `printf '{"type":"done","answer":"%s"}\\n' "${words}"`,
      'sh',
    ]
    const asked = testAsk({ messages: [{ role: 'user', content: 'Hello' }] })
    expect(await subject(echo('$(cat)')).answer(asked)).toMatchObject({ text: 'Hello' })
    expect(await subject(echo('$1'), { promptAs: 'argument' }).answer(asked)).toMatchObject({
      text: 'Hello',
    })
    const json = [
      'sh',
      '-c',
      `printf '{"type":"done","answer":%s}\\n' "$(sed 's/"/\\\\"/g; s/.*/"&"/')"`,
    ]
    const got = await subject(json, { promptAs: 'json' }).answer(asked)
    expect(JSON.parse(got.text)).toMatchObject({ messages: asked.messages, case: 'case' })
  })

  it('that fails has failed, with what it told until then', async () => {
    const argv = ['sh', '-c', `echo '${JSON.stringify(WORK[2])}'; echo oops >&2; exit 127`]
    expect(await subject(argv).answer(testAsk())).toMatchObject({
      stop: 'exit',
      note: expect.stringContaining('exit code 127; stderr: oops'),
      usd: 0.002,
    })
    // A command that prints no events and fails also counts as failed. It is not left out as errored.
    expect(await subject(['sh', '-c', 'exit 127']).answer(testAsk())).toMatchObject({
      stop: 'exit',
    })
    const slow = subject(['sh', '-c', 'sleep 60'], { timeoutMs: 100 })
    expect(await slow.answer(testAsk())).toMatchObject({ stop: 'timeout' })
    await expect(subject(['/nowhere/at/all']).answer(testAsk())).rejects.toMatchObject({
      reason: 'not-started',
    })
  })

  it('that says and does nothing has given an empty answer', async () => {
    const empty = await subject(says({ type: 'session', id: 's' })).answer(testAsk())
    expect(answerFailure(empty)).toMatchObject({ code: 'empty-answer' })
    expect(
      answerFailure(await subject(says({ type: 'done', answer: '' })).answer(testAsk())),
    ).not.toBe(null)
    const acted = await subject(says(...WORK, { type: 'done' })).answer(testAsk())
    expect(answerFailure(acted)).toBe(null)
  })

  it('is held to the limits of the case', async () => {
    const limits = { turns: null, toolCalls: 0, tokens: null, usd: 0.5 }
    const ask = testAsk({ case: testCase({ limits }) })
    const argv = [
      'sh',
      '-c',
      `echo '${JSON.stringify(WORK[0])}'; sleep 60; echo '${JSON.stringify(DONE)}'`,
    ]
    const command = subject(argv)
    expect(await command.answer(ask)).toMatchObject({ stop: 'limit' })
    expect(command.estimateUsd(ask.case)).toBe(0.5)
  })

  it('declares its secrets, so that the log masks them', () => {
    const command = subject(says({ type: 'done', answer: 'x' }), {
      env: { API_KEY: 'sk-0123456789' },
    })
    expect(command.secrets).toContain('sk-0123456789')
  })
})

describe('in several turns', () => {
  // A script that prints its first argument and its stdin as the answer.
  writeFileSync(
    join(folder, 'turns.sh'),
    `given=$(cat | tr '\\n' '|')
printf '{"type":"session","id":"s1"}\\n{"type":"tool-call","id":"1","name":"t"}\\n'
printf '{"type":"usage","model":"m","input":1,"usd":1}\\n{"type":"done","answer":"<%s%s>"}\\n' "$1" "$given"`,
  )
  const turns = testAsk({ messages: ['one', 'two'].map((content) => ({ role: 'user', content })) })

  it('gives the command all that was said before, and counts all that it did', async () => {
    const answer = await askTurns(subject(['sh', 'turns.sh']), turns)
    expect(answer).toMatchObject({ text: '<one||<one>||two>', usd: 2, usage: { input: 2 } })
    const calls = answer.trajectory?.steps.filter(({ kind }) => kind === 'tool-call')
    expect(calls?.map(({ turn }) => turn)).toEqual([0, 1])
  })

  it('or goes on with its session', async () => {
    const answer = await askTurns(subject(['sh', 'turns.sh', '{session}']), turns)
    expect(answer.text).toBe('<s1two>')
  })

  it('what has an answer already is not asked again', async () => {
    const messages: Message[] = [
      { role: 'system', content: 'sys' },
      { role: 'user', content: 'one' },
      { role: 'assistant', content: 'first' },
      { role: 'user', content: 'two' },
    ]
    const answer = await subject(['sh', 'turns.sh']).answer(testAsk({ messages }))
    expect(answer).toMatchObject({ text: '<sys||one||first||two>', usd: 1 })
  })
})
