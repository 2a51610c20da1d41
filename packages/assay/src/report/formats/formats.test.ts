import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fakeSource, fakeTrials } from '../../../test/fake-source.ts'
import { RunError } from '@assay/contract'
import type { ReportFormat } from './format.ts'
import { formatFor, formatNamed, reportFormats } from './formats.ts'
import { checkReportPath, writeReport } from './write-report.ts'

describe('the format', () => {
  it.each([
    ['out.html', 'html'],
    ['OUT.HTM', 'html'],
    ['a/b.c/summary.md', 'markdown'],
    ['report.json', 'json'],
    ['lint.sarif', 'sarif'],
    ['lint.sarif.json', 'sarif'],
    ['junit.xml', 'junit'],
    ['results.xml', 'junit'],
    ['trials.csv', 'csv'],
    ['out.csv', 'csv'],
    ['cases.csv', 'cases'],
    ['out/run.cases.csv', 'cases'],
    ['showcases.csv', 'csv'],
  ])('of %s is %s', (path, name) => {
    expect(formatFor(path).name).toBe(name)
  })

  it.each(['out.pdf', 'out', 'html', 'out.html.gz'])(
    'of %s is unknown, and what is known is named',
    (path) => {
      expect(() => formatFor(path)).toThrow(
        /ends in one of \.html \(html\), \.md \(markdown\), \.sarif/,
      )
    },
  )

  it('of a misspelt ending is suggested', () => {
    expect(() => formatFor('out.hmtl')).toThrow('(did you mean .html?)')
  })

  it('has a name of its own, and a near miss is suggested', () => {
    for (const format of reportFormats) expect(formatNamed(format.name)).toBe(format)
    expect(formatNamed('md').name).toBe('markdown')
    expect(formatNamed('xml').name).toBe('junit')
    expect(() => formatNamed('markdwon')).toThrow('did you mean "markdown"?')
    expect(() => formatNamed('pdf')).toThrow(
      'known: html, markdown, sarif, json, junit, cases, classes, csv',
    )
  })
})

describe('a report file', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'assay-write-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  const source = fakeSource(fakeTrials({ subjects: ['a'], cases: ['c'], trials: 2 }))
  const writing = (write: ReportFormat['write']): ReportFormat => ({ ...formatNamed('csv'), write })

  it('is written whole, in a folder that is made for it', async () => {
    const path = join(folder, 'new', 'deep', 'big.csv')
    const piece = 'ä'.repeat(100_000)
    await writeReport(
      writing(async (_, put) => {
        for (let i = 0; i < 10; i++) put(piece)
      }),
      source,
      path,
    )
    expect(readFileSync(path, 'utf8')).toBe(piece.repeat(10))
    expect(readdirSync(join(folder, 'new', 'deep'))).toEqual(['big.csv'])
  })

  it('stays the old one where writing the new one fails', async () => {
    const path = join(folder, 'out.csv')
    writeFileSync(path, 'old')
    const breaking = writing(async (_, put) => {
      put('x'.repeat(1_000_000))
      throw new Error('broken')
    })
    await expect(writeReport(breaking, source, path)).rejects.toThrow('broken')
    expect(readFileSync(path, 'utf8')).toBe('old')
    expect(readdirSync(folder)).toEqual(['out.csv'])
  })

  it('that cannot be written says which', async () => {
    writeFileSync(join(folder, 'file'), '')
    const path = join(folder, 'file', 'out.csv')
    await expect(writeReport(formatNamed('csv'), source, path)).rejects.toThrow(RunError)
    await expect(writeReport(formatNamed('csv'), source, folder)).rejects.toThrow(folder)
    expect(existsSync(`${folder}.${process.pid}.tmp`)).toBe(false)
  })

  it('that cannot be written is refused before there is anything to write', () => {
    writeFileSync(join(folder, 'file'), '')
    expect(() => checkReportPath(folder)).toThrow('it is a folder')
    for (const path of [join(folder, 'file', 'out.csv'), join(folder, 'file', 'a', 'out.csv')])
      expect(() => checkReportPath(path)).toThrow(`${join(folder, 'file')} is not a folder`)
    for (const path of [join(folder, 'file'), join(folder, 'a', 'b', 'c', 'out.csv')])
      expect(() => checkReportPath(path)).not.toThrow()
    expect(readdirSync(folder)).toEqual(['file'])
  })
})
