/**
 * What the engine itself costs: instant trials with the durable log on, at growing sizes, and the start
 * of the command. `npm run bench:engine [largest]`
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Ask } from '@assay/contract'
import { fakeSubject, fakeSuite, saying } from '../packages/assay/test/fakes.ts'
import { measure, row } from './measure.ts'

const CASES = 1000
const STARTS = 40
/** As the command's first line starts Node. */
const NURSERY = '--max-semi-space-size=16'

const [mode, size] = process.argv.slice(2)

if (mode === 'trials') {
  const { run } = await import('assay')
  const folder = join(mkdtempSync(join(tmpdir(), 'assay-bench-')), 'run')
  const planned = Number(size)
  const subject = {
    ...fakeSubject(() => saying(''), { source: 'simulated', concurrency: { start: 64, most: 64 } }),
    // Not the fake's own, which remembers all it was asked.
    answer: ({ random }: Ask) =>
      Promise.resolve(saying(random() < 0.7 ? 'right' : 'wrong', { ms: 1 })),
  }
  const { tally } = await run({
    suites: [fakeSuite(CASES)],
    subjects: [subject],
    folder,
    trials: planned / CASES,
  })
  const { passed, failed } = tally.counts()
  if (passed + failed !== planned) throw new Error(`${passed + failed} of ${planned} were scored`)
  rmSync(join(folder, '..'), { recursive: true })
} else {
  const most = Number(mode ?? 1_000_000)
  const self = import.meta.filename
  console.log('node -e 0 and the command')
  const rows = [
    ['node -e 0', ['-e', '0']],
    ['assay --version', ['packages/assay/bin/assay.js', '--version']],
    ['assay --help', ['packages/assay/bin/assay.js', '--help']],
  ] as const
  const loop = (args: readonly string[]): string =>
    `for i in $(seq ${STARTS}); do "$0" ${args.join(' ')} > /dev/null; done`
  let floor = 0
  for (const [label, args] of rows) {
    // One start is a few hundredths of a second, and the kernel counts in hundredths.
    const cpu = measure('bash', ['-c', loop(args), process.execPath]).cpuSeconds / STARTS
    floor ||= cpu
    console.log(
      `${label.padEnd(44)} ${cpu.toFixed(4)} s CPU, ${(cpu / floor).toFixed(2)} times the first`,
    )
  }
  console.log(`instant trials of ${CASES} cases, log on disk`)
  for (let planned = 1000; planned <= most; planned *= 10)
    console.log(
      row(
        `${planned} trials`,
        measure(process.execPath, [NURSERY, self, 'trials', String(planned)]),
      ),
    )
}
