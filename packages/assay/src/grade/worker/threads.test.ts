import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterEach, describe, expect, it } from 'vitest'
import { GraderTimeout } from '../grader.ts'
import { closeThreads, runApart } from './threads.ts'

afterEach(closeThreads)

const never = new AbortController().signal
const pattern = (source: string, text: string) =>
  ({ kind: 'pattern', pattern: source, flags: '', text }) as const
const quick = { timeoutMs: 30_000, signal: never }

/** A pattern that needs 2^n steps for n letters. */
const endless = pattern('(a+)+$', `${'a'.repeat(100)}!`)

describe('runApart', () => {
  it('finds the first match', async () => {
    expect(await runApart(pattern('b+', 'abba'), quick)).toEqual({ index: 1, length: 2 })
    expect(await runApart(pattern('c', 'abba'), quick)).toBeNull()
  })

  it('ends a pattern that would not, without holding up this thread', async () => {
    let turns = 0
    const turning = setInterval(() => turns++, 1)
    await expect(runApart(endless, { timeoutMs: 100, signal: never })).rejects.toThrow(
      new GraderTimeout('did not end within 0.1 s'),
    )
    clearInterval(turning)
    expect(turns).toBeGreaterThan(1)
    expect(await runApart(pattern('a', 'a'), quick)).toEqual({ index: 0, length: 1 })
  })

  it('does not let the quick wait for the endless, nor fail with them', async () => {
    const stuck = Array.from({ length: 3 }, () =>
      runApart(endless, { timeoutMs: 400, signal: never }).catch((error: unknown) => error),
    )
    const texts = Array.from({ length: 50 }, (_, i) => `${'x'.repeat(i)}b`)
    const found = await Promise.all(
      texts.map((text) => runApart(pattern('b', text), { timeoutMs: 5000, signal: never })),
    )
    expect(found.map((match) => match?.index)).toEqual(texts.map((_, i) => i))
    for (const error of await Promise.all(stuck)) expect(error).toBeInstanceOf(GraderTimeout)
  })

  it('ends schemas whose patterns or size would not end', async () => {
    const schema = JSON.stringify({ items: { pattern: '^(a+)+$' }, uniqueItems: true })
    const text = JSON.stringify([`${'a'.repeat(60)}!`])
    const task = { kind: 'schema', schema, draft: '2020-12', text } as const
    await expect(runApart(task, { timeoutMs: 200, signal: never })).rejects.toBeInstanceOf(
      GraderTimeout,
    )
    expect(await runApart({ ...task, text: '["aa"]' }, quick)).toEqual([])
  })

  it('takes the matcher’s own limit for the answer’s doing', async () => {
    const text = 'ab'.repeat(5_000_000)
    await expect(runApart(pattern('(?:(a)|b)*c', text), quick)).rejects.toBeInstanceOf(
      GraderTimeout,
    )
  })

  it('reports a broken task as a failure, not as the answer’s', async () => {
    const failure = await runApart(pattern('(', ''), quick).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(Error)
    expect(failure).not.toBeInstanceOf(GraderTimeout)
  })

  it('stops when told to, whether waiting or at work', async () => {
    const controller = new AbortController()
    const deadline = { timeoutMs: 60_000, signal: controller.signal }
    const all = Array.from({ length: 20 }, () => runApart(endless, deadline))
    const settled = Promise.allSettled(all)
    const reason = new Error('the run is stopping')
    controller.abort(reason)
    for (const outcome of await settled) expect(outcome).toEqual({ status: 'rejected', reason })
    await expect(runApart(endless, deadline)).rejects.toBe(reason)
    expect(await runApart(pattern('a', 'a'), quick)).toEqual({ index: 0, length: 1 })
  })

  it('rejects what is under way when it is closed, and starts again afterwards', async () => {
    const outcome = runApart(endless, quick).catch((error: unknown) => error)
    await closeThreads()
    expect(await outcome).toEqual(new Error('the graders were closed'))
    expect(await runApart(pattern('a', 'a'), quick)).toEqual({ index: 0, length: 1 })
  })

  it('keeps a process alive while it works and no longer', async () => {
    const threads = new URL('threads.ts', import.meta.url).href
    const program = `
      import { runApart } from '${threads}'
      const task = { kind: 'pattern', pattern: 'b', flags: '', text: 'ab' }
      const { index } = await runApart(task, { timeoutMs: 30000, signal: new AbortController().signal })
      console.log('found at', index)`
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '-e', program],
      { timeout: 20_000 },
    )
    expect(stdout).toBe('found at 1\n')
  })
})
