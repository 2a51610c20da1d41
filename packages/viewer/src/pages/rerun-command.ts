/** Returns the command that runs one case with one subject again. */
import type { Identity, ViewReport } from '../data/source.ts'
import { quoted, quotedPath } from '../text/quoted.ts'

export function rerunCommand(
  { provenance }: Pick<ViewReport, 'provenance'>,
  { suite, case: one, subject }: Identity,
): string {
  const path = provenance.suites.find(({ id }) => id === suite)?.path ?? suite
  return `assay run ${quotedPath(path)} --case ${quoted(one)} --model ${quoted(subject)}`
}
