import { Writable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { PrintStream } from './print-stream.ts'

/** A stream whose reader accepts one write at a time, when the test tells it to. */
function manual() {
  const taken: string[] = []
  let next: ((error?: Error | null) => void) | null = null
  const stream = new Writable({
    decodeStrings: false,
    write: (chunk: string, _encoding, done) => {
      taken.push(chunk)
      next = done
    },
  })
  const take = async (error: Error | null = null): Promise<void> => {
    next?.(error)
    await settle()
  }
  return { stream, taken, take }
}

const settle = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve)
  })

const failure = (code: string): Error => Object.assign(new Error(`it failed: ${code}`), { code })

async function isSettled(promise: Promise<void>): Promise<boolean> {
  let settled = false
  void promise.then(() => (settled = true))
  await settle()
  return settled
}

describe('a print stream', () => {
  it('has room until a million characters wait, and again when the reader has taken them', async () => {
    const { stream, take } = manual()
    const print = new PrintStream(stream)
    print.write('x'.repeat(1_000_000))
    expect(print.ready()).toBeNull()
    print.write('y')
    const ready = print.ready()
    if (ready === null) throw new Error('there is no room')
    expect(await isSettled(ready)).toBe(false)
    await take()
    expect(await isSettled(ready)).toBe(true)
    expect(print.ready()).toBeNull()
  })

  it('is flushed when the last character is taken', async () => {
    const { stream, taken, take } = manual()
    const print = new PrintStream(stream)
    await print.flushed()
    print.write('a')
    print.write('')
    print.write('b')
    const flushed = print.flushed()
    await take()
    expect(await isSettled(flushed)).toBe(false)
    await take()
    expect(await isSettled(flushed)).toBe(true)
    expect(taken).toEqual(['a', 'b'])
  })

  it.each(['EPIPE', 'ECONNRESET'])(
    'writes nothing more after its reader has closed it, and says nothing: %s',
    async (code) => {
      const { stream, taken, take } = manual()
      const failures: Error[] = []
      const print = new PrintStream(stream, (error) => failures.push(error))
      print.write('a')
      print.write('x'.repeat(2_000_000))
      const waits = [print.ready() ?? Promise.reject(new Error('no wait')), print.flushed()]
      await take(failure(code))
      for (const wait of waits) expect(await isSettled(wait)).toBe(true)
      print.write('b')
      await settle()
      expect(taken).toEqual(['a'])
      expect(print.ready()).toBeNull()
      await print.flushed()
      expect(failures).toEqual([])
    },
  )

  it('tells once of any other failure', async () => {
    const { stream, take } = manual()
    const failures: Error[] = []
    const print = new PrintStream(stream, (error) => failures.push(error))
    print.write('a')
    print.write('b')
    await take(failure('ENOSPC'))
    print.write('c')
    await print.flushed()
    await settle()
    expect(failures.map(({ message }) => message)).toEqual(['it failed: ENOSPC'])
  })

  it('takes EIO for a closed window on a terminal alone', async () => {
    for (const isTTY of [true, false]) {
      const { stream, take } = manual()
      const failures: Error[] = []
      const print = new PrintStream(Object.assign(stream, { isTTY }), (error) =>
        failures.push(error),
      )
      print.write('a')
      await take(failure('EIO'))
      expect(failures.length).toBe(isTTY ? 0 : 1)
    }
  })
})
