/** Assay from TypeScript: a subject of one's own, events, a deadline, and the summary of the run. */
import { loadSuite, makeSubjects, run, summarize, type Subject } from 'assay'

/** Knows one thing only. A real one would ask a service, and throw a SubjectError where that fails. */
const parrot: Subject = {
  id: 'parrot',
  kind: 'command',
  source: 'live',
  pool: 'parrot',
  concurrency: { start: 4, most: 4 },
  config: { says: 'no' },
  secrets: [],
  estimateUsd: () => 0,
  answer: async () => ({ text: 'no', stop: 'end', usage: null, usd: 0 }),
  close: async () => {},
}

/** Runs a suite into a folder and says who passed how often. */
export async function compareWithParrot(path: string, folder: string): Promise<string[]> {
  const { suite } = await loadSuite(path)
  const simulated = await makeSubjects({ subjects: ['simulated:pass=0.8'] })
  let done = 0
  const { ended } = await run({
    suites: [suite],
    subjects: [parrot, ...simulated],
    folder,
    trials: 5,
    passK: [1, 3],
    signal: AbortSignal.timeout(60_000),
    onEvent: (event) => {
      if (event.type === 'trial') done++
    },
  })
  const report = await summarize(folder)
  const rates = report.subjects.map(({ subject, passRate }) => {
    const { value, interval } = passRate
    return `${subject}: ${value} (${interval?.low} to ${interval?.high})`
  })
  return [`${ended} after ${done} trials`, ...rates]
}
