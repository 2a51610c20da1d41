/**
 * Warnings that are shown at the top of every report: about answers that are not live, and about code that ran without
 * a sandbox. Without them, a simulated, replayed or cached answer could be mistaken for the answer of a live model.
 */
import { plain } from '@assay/contract'
import { counted } from '../../text/index.ts'
import type { Report } from '../schema/report.ts'

export function disclosuresOf({
  subjects,
  cached,
  counts,
  sandboxes,
  provenance,
}: Report): string[] {
  const { origin, regrades, edited, leftOut } = provenance
  const from = (source: string): string[] => [
    ...new Set(subjects.filter((row) => row.source === source).map((row) => row.subject)),
  ]
  const all = new Set(subjects.map(({ subject }) => subject)).size
  const whose = (names: readonly string[]): string =>
    names.length === all ? 'these answers' : `the answers of ${names.join(', ')}`
  const simulated = from('simulated')
  // If a subject replays simulated answers, the warnings list it both as a replay and as simulated.
  const replays = new Set(
    provenance.subjects.filter(({ kind }) => kind === 'replay').map(({ id }) => id),
  )
  const replayed = [
    ...new Set([...from('replay'), ...simulated.filter((name) => replays.has(name))]),
  ]
  return [
    ...(edited === true
      ? [
          'EDITED: something else than Assay changed the record of this run (run.json), and it was accepted as it is',
        ]
      : []),
    ...(regrades?.edited === true
      ? ['EDITED: the record of the run that was graded again was changed, and accepted as it was']
      : []),
    ...(origin === null && provenance.stopped === 'complete' && counts.cancelled > 0
      ? [
          `LOST TRIALS: the run was complete, but its log has no result of ${counted(counts.cancelled, 'planned trial')}: trials.jsonl is missing, cut short or damaged. Restore it from a copy, or run them again with assay run --resume and this run`,
        ]
      : []),
    ...(leftOut === undefined
      ? []
      : [
          `PART OF THE SUITE: ${leftOut.suites.map(({ suite, cases, of }) => `${cases} of ${counted(of, 'case')} of ${plain(suite)}`).join(', ')} (${plain(leftOut.words)})`,
        ]),
    ...(simulated.length > 0
      ? [`SIMULATED: ${whose(simulated)} come from the suite itself, not from a model`]
      : []),
    ...(origin === null ? [] : [`ANALYZED: computed from ${origin}`]),
    ...(replayed.length > 0 && origin === null
      ? [`REPLAYED: ${whose(replayed)} were recorded earlier`]
      : []),
    ...(regrades === undefined
      ? []
      : [
          `REGRADED: the answers of ${plain(regrades.folder)} were graded again; no subject was asked`,
        ]),
    ...(cached > 0 ? [`CACHED: ${counted(cached, 'answer')} kept from an earlier run`] : []),
    ...(sandboxes.includes('none')
      ? ['NO SANDBOX: code ran with --sandbox none, as you and unlimited']
      : []),
    ...(sandboxes.includes('process')
      ? ['NO SANDBOX HERE: the code of Assay’s own suites ran as plain processes']
      : []),
  ]
}
