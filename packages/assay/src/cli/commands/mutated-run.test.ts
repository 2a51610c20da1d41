/**
 * A missing or wrong key in a record or a log line gives a clear error message, never "this is a bug in assay". The
 * test removes and replaces every key of a run of version 1, which has no checksums. A text that is replaced by
 * sequences that a terminal obeys is never printed as it is.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pico from 'picocolors'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { plainLines, RunError, UsageError } from '@assay/contract'
import { fakeDiff, fakeSubject, fakeSuite, saying } from '../../../test/fakes.ts'
import { MEMORY } from '../../../test/memory-folder.ts'
import { richTrajectory } from '../../../test/rich-trajectory.ts'
import { rewriteRecord } from '../../../test/rewrite-run.ts'
import { describeRun } from '../output/announce-run.ts'
import { readReportFile, renderReport, type Report } from '../../report/index.ts'
import { run } from '../../run/index.ts'
import { earlierRun } from '../settings/earlier-run.ts'
import { compareCommand } from './compare/compare.ts'
import { reportCommand } from './report/report.ts'
import { showCommand } from './show/show.ts'

const root = mkdtempSync(join(MEMORY, 'assay-mutated-'))
const folder = join(root, 'run')
afterAll(() => rmSync(root, { recursive: true, force: true }))

type Path = readonly (string | number)[]

beforeAll(async () => {
  const subject = fakeSubject(({ index }) =>
    saying(index === 0 ? 'right' : 'wrong', {
      files: { 'a.txt': 'a' },
      trajectory: richTrajectory(),
      diff: fakeDiff({ 'b.txt': 'b' }),
      remarks: ['odd'],
    }),
  )
  const request = { suites: ['s'], subjects: ['m'], trials: 2 }
  const judge = fakeSubject(() => saying('5'), { id: 'judge', kind: 'model' })
  const experiment = {
    name: 'e',
    tiers: [{ order: ['fake'], baseline: 'fake' }],
    varies: ['x'],
    composite: { pass: 1, impl: 1 },
    grades: { steps: [{ grade: 'A', least: 0.5 }], below: 'F' },
    impl: 'score' as const,
  }
  await run({
    ...{ suites: [fakeSuite(1)], subjects: [subject], judges: [judge], folder, trials: 2 },
    ...{ request, experiment },
  })
  rewriteRecord(folder, (record) => ({ ...record, version: 1 }))
  const log = join(folder, 'trials.jsonl')
  const lines = readFileSync(log, 'utf8').trimEnd().split('\n')
  writeFileSync(
    log,
    lines
      .map((line, i) => {
        const { crc: _crc, ...rest } = JSON.parse(line) as Record<string, unknown>
        return `${JSON.stringify(i === 0 ? { ...rest, version: 1 } : rest)}\n`
      })
      .join(''),
  )
})

/** The paths of all values inside a value, the outer ones first. */
function placesIn(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path]
  const entries: [string | number, unknown][] = Array.isArray(value)
    ? value.map((entry, i) => [i, entry])
    : Object.entries(value)
  return [path, ...entries.flatMap(([key, entry]) => placesIn(entry, [...path, key]))]
}

const REMOVED = Symbol('removed')
/** Erases the screen, writes to the clipboard, and reverses the direction of text. */
const ESCAPES = '\u001b[2J\u001b]52;c;eA==\u0007\u009b31m\u202ex'
const VALUES: readonly unknown[] = [REMOVED, null, -1, 'x', ESCAPES, []]

function changed(value: unknown, path: Path, to: unknown): unknown {
  const copy = structuredClone(value) as Record<string | number, unknown>
  let at = copy
  for (const key of path.slice(0, -1)) at = at[key] as typeof at
  const last = path.at(-1) as string | number
  if (to === REMOVED) Reflect.deleteProperty(at, last)
  else at[last] = to
  return copy
}

let printed = ''
const output = {
  out: (text: string) => void (printed += text),
  err: (text: string) => void (printed += text),
  isTerminal: false,
  ready: () => null,
  outIsTerminal: false,
  width: 80,
  colors: pico.createColors(false),
}

const JSON_REPORT = join(root, 'report.json')
const FILES = ['page.html', 'report.md', 'report.xml', 'report.csv'].map((name) => join(root, name))

/** The report that was just written. If Assay refuses to read it, that is a bug and not a mistake of the user. */
function reportWritten(): Report {
  try {
    return readReportFile(JSON_REPORT)
  } catch (error) {
    throw new Error('a report of this run cannot be read', { cause: error })
  }
}

/**
 * Computing the figures of a run takes most of the time, so they are computed twice for each change and not for every
 * reader. The text for the terminal, and one side of the comparison, are those of the report that was just written.
 */
const READERS: readonly (() => unknown)[] = [
  () => {
    rmSync(JSON_REPORT, { force: true })
    return reportCommand({ run: folder, report: [JSON_REPORT, ...FILES] }, output)
  },
  () => {
    if (existsSync(JSON_REPORT))
      output.out(renderReport(reportWritten(), { ...output, details: true }))
  },
  () => showCommand({ run: folder, case: 'c0', full: true }, output),
  () => showCommand({ run: folder, case: 'c0', index: '0', full: true }, output),
  () => compareCommand({ baseline: folder, current: JSON_REPORT }, output),
  () => describeRun(folder, 0),
  () => earlierRun(folder),
]

/**
 * Changes every value in turn. Returns the errors that are not meant for the user, each with the change that caused it.
 */
async function bugs(file: string, text: string, row: number | null): Promise<string[]> {
  const lines = text.split('\n')
  const value: unknown = JSON.parse(row === null ? text : (lines[row] as string))
  const found: string[] = []
  // Some changes give the same text, such as an element that is removed from an array or replaced by null.
  const tried = new Set([JSON.stringify(value)])
  for (const path of placesIn(value).filter(({ length }) => length > 0))
    for (const to of VALUES) {
      const written = JSON.stringify(changed(value, path, to))
      if (tried.has(written)) continue
      tried.add(written)
      writeFileSync(
        join(folder, file),
        row === null ? written : lines.with(row, written).join('\n'),
      )
      for (const read of READERS)
        try {
          printed = ''
          await read()
          if (plainLines(printed) !== printed)
            found.push(`${path.join('.')}: ${JSON.stringify(printed)}`)
        } catch (error) {
          if (error instanceof UsageError || error instanceof RunError) continue
          found.push(`${path.join('.')} = ${String(to)}: ${String(error)}`)
          break
        }
    }
  writeFileSync(join(folder, file), text)
  return found
}

it.each([
  ['run.json', null],
  ['trials.jsonl', 0],
  ['trials.jsonl', 1],
] as const)('%s (line %s) with a key removed or replaced is read or refused', async (file, row) => {
  const text = readFileSync(join(folder, file), 'utf8')
  expect(await bugs(file, text, row)).toEqual([])
})
