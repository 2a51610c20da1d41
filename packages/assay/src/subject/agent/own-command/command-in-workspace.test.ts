import { chmodSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { testAsk, testCase } from '../../../../test/ask.ts'
import { fakeWorkspace, type FakeRun } from '../../../../test/fake-workspace.ts'
import { commandSubject, type CommandOptions } from '../../command/command.ts'
import { loadPrices } from '../../model/prices.ts'

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'commands-')))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const script = join(folder, 'agent.sh')
writeFileSync(script, '#!/bin/sh\n')
chmodSync(script, 0o755)

async function answer(
  options: Partial<CommandOptions>,
  runs: readonly FakeRun[] = [],
  prompts: readonly string[] = ['Do it.'],
) {
  const workspace = fakeWorkspace(runs)
  const subject = commandSubject({ id: 'cmd', argv: ['sh'], folder, ...options })
  const said = await subject.answer(
    testAsk({
      openWorkspace: async () => workspace,
      messages: prompts.map((content) => ({ role: 'user', content })),
    }),
  )
  return { said, workspace, ran: workspace.ran }
}

const EVENTS = ['{"type":"session","id":"s1"}\n', '{"type":"done","answer":"42"}\n']

describe('a command on a case with a workspace', () => {
  it('runs there, and what it prints is the answer', async () => {
    const { said, ran, workspace } = await answer({ argv: ['sh', '-c', 'x'] }, [
      { prints: ['hello\n', '\n', 'world\n\n'] },
    ])
    expect(said).toMatchObject({
      text: 'hello\n\nworld',
      stop: 'end',
      usage: null,
      usd: null,
      trajectory: { format: 'text', complete: true },
      diff: { version: 1, changes: [] },
    })
    expect(ran).toMatchObject([
      { argv: [expect.stringMatching(/^\/.*sh$/), '-c', 'x'], input: 'Do it.' },
    ])
    expect(ran[0]?.env).not.toHaveProperty('HOME')
    expect(workspace.closed).toBe(1)
  })

  it('may tell events: Assay’s where its first line is one, or those it is said to tell', async () => {
    const { said } = await answer({}, [{ prints: EVENTS }])
    expect(said).toMatchObject({ text: '42', trajectory: { format: 'assay' } })
    const asText = await answer({ events: 'text' }, [{ prints: EVENTS }])
    expect(asText.said).toMatchObject({
      text: EVENTS.join('').trim(),
      trajectory: { format: 'text' },
    })
    const result = { type: 'result', subtype: 'success', result: 'hi', modelUsage: {} }
    const claude = await answer({ events: 'claude' }, [{ prints: [`${JSON.stringify(result)}\n`] }])
    expect(claude.said).toMatchObject({ text: 'hi', trajectory: { format: 'claude' } })
  })

  it('may print an envelope', async () => {
    const envelope = { text: '42', usage: { input: 3, output: 1 }, costUsd: 0.5 }
    const printed = [{ prints: [JSON.stringify(envelope, null, 2)] }]
    expect((await answer({ answerAs: 'json' }, printed)).said).toMatchObject({
      text: '42',
      stop: 'end',
      usage: { input: 3, output: 1 },
      usd: 0.5,
    })
    expect((await answer({ answerAs: 'json' }, [{ prints: ['oh'] }])).said).toMatchObject({
      text: 'oh',
      stop: 'exit',
      note: expect.stringContaining('cannot be read'),
    })
  })

  it('is shown the files beside the one that names it, and only those that it names', async () => {
    const { ran } = await answer({ argv: ['./agent.sh', './agent.sh', './in-workspace', 'x'] })
    expect(ran).toMatchObject([{ argv: [script, script, './in-workspace', 'x'] }])
    const shown = ran[0]?.reads.filter((path) => path.startsWith(folder))
    expect(new Set(shown)).toEqual(new Set([script]))
  })

  it('is asked turn by turn, with the session where its words have a place for it', async () => {
    const runs = [{ prints: EVENTS }, { prints: EVENTS }]
    const argv = ['./agent.sh', '--resume', '{session}', '--ask={prompt}']
    const { ran } = await answer({ argv }, runs, ['one', 'two'])
    expect(ran.map((one) => one.argv.slice(1))).toEqual([
      ['--ask=one'],
      ['--resume', 's1', '--ask=two'],
    ])
    const without = await answer({}, [{ prints: ['a'] }, { prints: ['b'] }], ['one', 'two'])
    expect(without.said).toMatchObject({ text: 'b', stop: 'end' })
    expect(without.ran.map(({ input }) => input)).toEqual(['one', 'two'])
    const untold = await answer({ argv }, [{ prints: ['a'] }], ['one', 'two'])
    expect(untold.said).toMatchObject({ stop: 'exit', note: expect.stringContaining('session') })
  })

  it('has its words where they stand in the first turn too, but no option for a session', async () => {
    const first = async (...words: string[]) =>
      (await answer({ argv: ['./agent.sh', ...words] })).ran[0]?.argv.slice(1)
    expect(await first('{session}', 'x')).toEqual(['', 'x'])
    expect(await first('go', '{session}', 'x')).toEqual(['go', '', 'x'])
    expect(await first('-r', '{session}', 'x', '--resume={session}')).toEqual(['x'])
    expect(await first('--in=a', '{session}', '--', '{session}')).toEqual(['--in=a', '', '--', ''])
    expect(await first('id:{session}', 'x')).toEqual(['id:', 'x'])
  })

  it('is priced by the models it names, from a list that is loaded only for that', async () => {
    const file = join(folder, 'prices.toml')
    writeFileSync(file, '[models."house/m"]\ninput = 1\noutput = 2\n')
    let asked = 0
    const prices = async () => {
      asked++
      return loadPrices({ file })
    }
    const cost = async (model: string, change: Partial<CommandOptions> = {}) => {
      const usage = { type: 'usage', model, input: 1_000_000 }
      return (await answer({ prices, ...change }, [{ prints: [`${JSON.stringify(usage)}\n`] }]))
        .said
    }
    expect(await cost('house/m')).toMatchObject({ usd: 1, trajectory: { usdFrom: 'priced' } })
    expect((await cost('anthropic/claude-sonnet-4-5', { events: 'assay' })).usd).toBeGreaterThan(0)
    // A model of an unknown provider has no price, even if its name looks like a model of a known provider.
    for (const model of ['house/gpt-4o', 'gpt-4o', '/gpt-4o', 'house/', ''])
      expect(await cost(model)).toMatchObject({ usd: null, spentUsd: 0 })
    const before = asked
    await cost('house/m', { events: 'text' })
    expect(asked).toBe(before)
  })

  it('may cost as much as the case allows; without a workspace nobody knows', () => {
    const subject = commandSubject({ id: 'cmd', argv: ['sh'] })
    const limits = { turns: null, toolCalls: null, tokens: null, usd: 0.5 }
    const workspace = {
      git: null,
      folder: null,
      setup: [],
      setupTimeoutMs: 1000,
      ignore: [],
      protect: [],
      hidden: {},
    }
    expect(subject.estimateUsd(testCase({ limits, workspace }))).toBe(0.5)
    expect(subject.estimateUsd(testCase({ workspace }))).toBeNull()
    expect(subject.estimateUsd(testCase({ limits }))).toBeNull()
  })

  it('can be told everything about the trial as JSON', async () => {
    const { ran } = await answer({ promptAs: 'json' }, [], ['one', 'two'])
    expect(ran.map(({ input }) => JSON.parse(input))).toMatchObject([
      { case: 'case', messages: [{ content: 'one' }] },
      { case: 'case', messages: [{ content: 'two' }] },
    ])
  })

  it('fails with its exit code, and leaves no answer where there is no such program', async () => {
    const failing = await answer({}, [{ prints: ['part'], end: { code: 7, stderr: 'oh' } }])
    expect(failing.said).toMatchObject({
      text: 'part',
      stop: 'exit',
      note: 'exit code 7; stderr: oh',
    })
    await expect(answer({ argv: ['no-such-program-here'] })).rejects.toMatchObject({
      reason: 'not-started',
      message: expect.stringContaining('no program "no-such-program-here" on the PATH'),
    })
  })

  it('names what must be masked in what is kept, and leaves its answer as it is', async () => {
    const env = { MY_KEY: 'sk-0123456789' }
    const { said, ran } = await answer({ env }, [{ prints: ['the key is sk-0123456789'] }])
    expect(ran[0]?.env).toMatchObject(env)
    expect(said).toMatchObject({ text: 'the key is sk-0123456789' })
    expect(commandSubject({ id: 'x', argv: ['x'], env }).secrets).toEqual(['sk-0123456789'])
  })
})
