/** A process that adds labels to a run folder, one after the other, and names each one that is on the disk. */
import { appendLabels } from '../../src/log/labels/label-file.ts'

const [folder = '', reviewer = ''] = process.argv.slice(2)
for (let index = 0; index < 100_000; index++) {
  appendLabels(folder, [
    {
      ...{ suite: 'suite', case: 'c0', subject: 'fake', index, answer: 'hash' },
      ...{ reviewer, verdict: 'pass', note: 'fine', blind: false, picked: 'random' },
      at: '2026-01-01T00:00:00.000Z',
    },
  ])
  process.stdout.write(`${index}\n`)
}
