import { describe, expect, it } from 'vitest'
import { ReportReader } from './run.ts'

const NONCE = 'a'.repeat(32)

function read(...chunks: string[]): ReportReader {
  const reader = new ReportReader(NONCE)
  for (const chunk of chunks) reader.push(Buffer.from(chunk))
  return reader
}

describe('the report of a program of tests', () => {
  it('is read line by line, however it is cut', () => {
    const text = `${NONCE} ready\n${NONCE} 0 ok\n${NONCE} 1 failed 7 a\\nb \\\\n\n${NONCE} end\n`
    for (let size = 1; size < text.length; size += 7) {
      const chunks = text.match(new RegExp(`[^]{1,${size}}`, 'gu')) ?? []
      const { ready, done, results } = read(...chunks)
      expect({ ready, done }).toEqual({ ready: true, done: true })
      expect([...results]).toEqual([
        [0, { passed: true, line: 0, message: '' }],
        [1, { passed: false, line: 7, message: 'a\nb \\n' }],
      ])
    }
  })

  it('counts only lines with the nonce', () => {
    const { results, ready, done } = read(
      `0 ok\nready\nend\n${'b'.repeat(32)} 0 ok\n${NONCE}0 ok\n x${NONCE} 0 ok\n`,
    )
    expect(results.size).toBe(0)
    expect({ ready, done }).toEqual({ ready: false, done: false })
  })

  it('believes no test that reports twice', () => {
    const { results } = read(
      `${NONCE} 0 failed 1 no\n${NONCE} 0 ok\n${NONCE} 1 ok\n${NONCE} 1 ok\n${NONCE} 1 ok\n`,
    )
    expect([...results.values()].map(({ passed }) => passed)).toEqual([false, false])
  })

  it('is over at its end, and when there is too much of it', () => {
    expect(read(`${NONCE} end\n${NONCE} 0 ok\n`).results.size).toBe(0)
    const reader = new ReportReader(NONCE)
    expect(reader.push(Buffer.from('x\n'))).toBe(false)
    expect(reader.push(Buffer.alloc(9 * 1024 * 1024))).toBe(true)
  })
})
