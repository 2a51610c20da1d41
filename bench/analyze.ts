/**
 * Measures `assay analyze` on results of other programs: a tier experiment of one million rows as CSV, as JSON
 * lines and gzipped, generated with a fixed seed. Run it with `npm run bench:analyze [rows]`.
 */
import { createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { random } from '@assay/metrics'
import { measure, NODE_FLAGS, row } from './measure.ts'

const TIERS = 7
const CASES = 1000
const COLUMNS = [
  'experiment',
  'agent_model',
  'tier',
  'subtest',
  'run_number',
  'score',
  'impl_rate',
  'passed',
  'grade',
  'cost_usd',
  'duration_seconds',
  'total_tokens',
  'input_tokens',
  'output_tokens',
  'cache_creation_tokens',
  'cache_read_tokens',
  'exit_code',
]

/** Yields the generated rows. One row in a hundred has no judge's score, and one in fifty has no price. */
function* results(rows: number): Generator<(string | number)[]> {
  const draw = random(1)
  for (let i = 0; i < rows; i++) {
    const tier = i % TIERS
    const one = Math.floor(i / TIERS) % CASES
    const judged = draw() >= 0.01
    const score = Math.round(draw() * 1000) / 1000
    const passed = score > 0.6 - tier * 0.05
    const [input, output] = [Math.floor(draw() * 9000), Math.floor(draw() * 3000)]
    yield [
      'planning',
      'model-a',
      `T${tier}`,
      `subtest-${String(one).padStart(4, '0')}`,
      1 + Math.floor(i / (TIERS * CASES)),
      judged ? score : '',
      judged ? Math.round(draw() * 1000) / 1000 : '',
      judged ? (passed ? 'True' : 'False') : '',
      judged ? (passed ? 'B' : 'F') : '',
      draw() < 0.02 ? '' : Math.round(draw() * 1e6) / 1e6,
      Math.round(draw() * 6e5) / 1e3,
      input + output,
      input,
      output,
      0,
      Math.floor(draw() * 50_000),
      0,
    ]
  }
}

function* csv(rows: number): Generator<string> {
  yield `${COLUMNS.join(',')}\n`
  for (const cells of results(rows)) yield `${cells.join(',')}\n`
}

function* jsonLines(rows: number): Generator<string> {
  for (const cells of results(rows))
    yield `${JSON.stringify(Object.fromEntries(COLUMNS.map((name, i) => [name, cells[i]])))}\n`
}

/** Joins lines into texts of a thousand lines, because one write to a stream costs more than formatting one line. */
function* gathered(lines: Iterable<string>): Generator<string> {
  let held: string[] = []
  for (const line of lines)
    if (held.push(line) === 1000) {
      yield held.join('')
      held = []
    }
  yield held.join('')
}

const [mode, file = ''] = process.argv.slice(2)

if (mode === 'read') {
  const { readResults } = await import('../packages/assay/src/analyze/read-results.ts')
  const { table } = await readResults([file])
  console.log(`${table.rows} rows`)
} else {
  const rows = Number(mode ?? 1_000_000)
  const folder = mkdtempSync(join(tmpdir(), 'assay-bench-'))
  try {
    const files = [
      ['results.csv', csv, null],
      ['results.csv.gz', csv, createGzip()],
      ['results.jsonl', jsonLines, null],
    ] as const
    for (const [name, lines, pack] of files) {
      const path = join(folder, name)
      const source = Readable.from(gathered(lines(rows)))
      if (pack === null) await pipeline(source, createWriteStream(path))
      else await pipeline(source, pack, createWriteStream(path))
      console.log(`${name}: ${rows} rows, ${(statSync(path).size / 1e6).toFixed(0)} MB`)
      const node = (args: readonly string[]) => measure(process.execPath, [...NODE_FLAGS, ...args])
      console.log(row('  reading alone', node([import.meta.filename, 'read', path])))
      console.log(
        row('  assay analyze', node(['packages/assay/bin/assay.js', 'analyze', path, '--json'])),
      )
      rmSync(path)
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
