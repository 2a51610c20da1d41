/** How damage to a run is shown to the user: `report` in every format, `show`, `compare` and `bless`. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pico from 'picocolors'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fakeSubject, fakeSuite, saying } from '../../../test/fakes.ts'
import { logLines, writeLog } from '../../../test/rewrite-run.ts'
import { run } from '../../run/index.ts'
import { blessCommand } from './bless/bless.ts'
import { compareCommand } from './compare/compare.ts'
import { reportCommand } from './report/report.ts'
import { showCommand } from './show/show.ts'

let root: string
let folder: string

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'assay-damaged-'))
  folder = join(root, 'run')
  const subjects = [fakeSubject(({ index }) => saying(index < 2 ? 'right' : 'wrong'))]
  await run({ suites: [fakeSuite(2)], subjects, folder, trials: 3 })
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

async function said(command: (output: Parameters<typeof reportCommand>[1]) => Promise<number>) {
  const text = { out: '', err: '' }
  await command({
    out: (more: string) => void (text.out += more),
    err: (more: string) => void (text.err += more),
    isTerminal: false,
    ready: () => null,
    outIsTerminal: false,
    width: 80,
    colors: pico.createColors(false),
  })
  return text
}

const FORMATS = ['html', 'markdown', 'json', 'junit', 'sarif', 'csv', 'cases']

describe('a record that was changed', () => {
  beforeEach(() => {
    const path = join(folder, 'run.json')
    // This edit changes the planned number of trials of a case, which would raise the pass rate from 70 % to 73 %.
    writeFileSync(path, readFileSync(path, 'utf8').replace('"trials": 3', '"trials": 2'))
  })
  const accept = { acceptEdited: true }

  it('is refused by report, show, compare and bless', async () => {
    const refused = 'was changed since Assay wrote it'
    await expect(said((to) => reportCommand({ run: folder }, to))).rejects.toThrow(refused)
    await expect(said((to) => showCommand({ run: folder }, to))).rejects.toThrow(refused)
    const sides = { baseline: folder, current: folder }
    await expect(said((to) => compareCommand(sides, to))).rejects.toThrow(refused)
    await expect(said((to) => blessCommand({ run: folder }, to))).rejects.toThrow(refused)
  })

  it.each(FORMATS)('is stamped on a report as %s that accepts it', async (format) => {
    const { out } = await said((to) => reportCommand({ run: folder, format, ...accept }, to))
    expect(out).toMatch(/EDITED|"edited": true|,edited\n/)
  })

  it('is stamped on the terminal, on what show prints, and on each format of compare', async () => {
    const texts = [
      await said((to) => reportCommand({ run: folder, ...accept }, to)),
      await said((to) => showCommand({ run: folder, ...accept }, to)),
      await said((to) => showCommand({ run: folder, case: 'c1', ...accept }, to)),
    ]
    for (const { out } of texts) expect(out.replaceAll(/\s+/g, ' ')).toContain('EDITED: something')
    const json = await said((to) => showCommand({ run: folder, json: true, ...accept }, to))
    expect(JSON.parse(json.out)).toMatchObject({ edited: true })
    for (const format of ['text', 'json', 'markdown'] as const) {
      const sides = { baseline: folder, current: folder, format, ...accept }
      const { out } = await said((to) => compareCommand(sides, to))
      expect(out).toMatch(/EDITED/)
    }
  })

  it('is stamped on a baseline that was blessed from it', async () => {
    const output = join(root, 'baseline.json')
    await said((to) => blessCommand({ run: folder, output, allowPartial: true, ...accept }, to))
    const sides = { baseline: output, current: output }
    expect((await said((to) => compareCommand(sides, to))).out).toContain('EDITED')
  })
})

describe('a damaged line', () => {
  let line: number
  beforeEach(() => {
    const lines = logLines(folder)
    line = lines.findIndex((one) => one.includes('"outcome":"failed"')) + 1
    lines[line - 1] = (lines[line - 1] as string).replace(
      '"outcome":"failed"',
      '"outcome":"passed"',
    )
    writeLog(folder, lines)
  })

  it('is left out of the figures, and named by report, show and compare', async () => {
    const name = `1 line of the log is damaged: line ${line} (suite suite, case c`
    const report = await said((to) => reportCommand({ run: folder }, to))
    expect(report.out.replaceAll(/\s+/g, ' ')).toContain(name)
    expect(report.out).toContain('6 planned = 4 passed + 1 failed + 0 unscored + 0 errored + 1')
    expect(report.err).toContain(name)
    expect((await said((to) => showCommand({ run: folder }, to))).err).toContain(name)
    const json = await said((to) => showCommand({ run: folder, json: true }, to))
    expect(JSON.parse(json.out)).toMatchObject({ damaged: 1, damagedLines: [{ line }] })
    const sides = { baseline: folder, current: folder }
    const compared = await said((to) => compareCommand(sides, to))
    expect(compared.err).toContain('1 line of the log of the current run is damaged and left out')
    await expect(said((to) => blessCommand({ run: folder }, to))).rejects.toThrow(
      '1 line of its log is damaged',
    )
  })

  it('is in report.json with its number and the trial that it says it is', async () => {
    const { out } = await said((to) => reportCommand({ run: folder, json: true }, to))
    expect(JSON.parse(out)).toMatchObject({
      provenance: {
        log: {
          damaged: 1,
          checked: true,
          damagedLines: [{ line, trial: { suite: 'suite', subject: 'fake', index: 2 } }],
        },
      },
    })
  })
})

describe('a complete run without its log', () => {
  beforeEach(() => rmSync(join(folder, 'trials.jsonl')))

  it('is named as damage by report and show, not as trials that did not run', async () => {
    const texts = [
      await said((to) => reportCommand({ run: folder }, to)),
      await said((to) => reportCommand({ run: folder, format: 'markdown' }, to)),
      await said((to) => showCommand({ run: folder }, to)),
      await said((to) => showCommand({ run: folder, case: 'c1' }, to)),
    ]
    for (const { out } of texts) {
      const words = out.replaceAll(/\s+/g, ' ')
      expect(words).toContain('LOST TRIALS: the run was complete')
      expect(words).toContain('trials.jsonl is missing, cut short or damaged')
      expect(words).not.toContain('did not run')
    }
  })
})
