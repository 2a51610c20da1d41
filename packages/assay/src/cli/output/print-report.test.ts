import { describe, expect, it } from 'vitest'
import type { Trial } from '@assay/contract'
import type { ReportFormat, ReportSource } from '../../report/index.ts'
import { printReport } from './print-report.ts'

/** A format that reads the trials three times and prints a lot after each time. */
const format: ReportFormat = {
  name: 'csv',
  description: '',
  write: async ({ trials }, put) => {
    for (let pass = 0; pass < 3; pass++) {
      await trials(() => {})
      for (let line = 0; line < 20_000; line++) put(`${pass} ${line}\n`)
    }
  },
}

const source = {
  trials: async (each: (trial: Trial) => void) => each({} as Trial),
} as unknown as ReportSource

describe('a printed report', () => {
  it('is printed whole and in order, in pieces that are not small', async () => {
    const pieces: string[] = []
    const out = (text: string): void => void pieces.push(text)
    await printReport(format, source, { out, ready: () => null, outIsTerminal: false })
    const lines = pieces.join('').trimEnd().split('\n')
    expect(lines.length).toBe(60_000)
    expect(lines.at(-1)).toBe('2 19999')
    expect(Math.min(...pieces.slice(0, -1).map(({ length }) => length))).toBeGreaterThan(60_000)
  })

  it('waits for its reader before it reads more trials', async () => {
    let waiting = 0
    let most = 0
    const output = {
      out: (text: string): void => {
        waiting += text.length
        most = Math.max(most, waiting)
      },
      ready: async () => {
        waiting = 0
      },
      outIsTerminal: false,
    }
    await printReport(format, source, output)
    expect(most).toBeLessThan(20_000 * '0 00000\n'.length + 65_536)
  })

  it('has nothing in it that a terminal would act on', async () => {
    let text = ''
    const out = (more: string): void => void (text += more)
    const hostile = {
      ...format,
      write: async (_: ReportSource, put: (text: string) => void) => put('\u001b[2J\n'),
    }
    await printReport(hostile, source, { out, ready: () => null, outIsTerminal: true })
    expect(text).toBe('\ufffd[2J\n')
    text = ''
    await printReport(hostile, source, { out, ready: () => null, outIsTerminal: false })
    expect(text).toBe('\u001b[2J\n')
  })
})
