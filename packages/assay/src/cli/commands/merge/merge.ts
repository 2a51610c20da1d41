/** `assay merge`: joins the parts of a run. It prints the summary and what is missing, and returns the exit code. */
import { dirname, join } from 'node:path'
import { plain, UsageError, shellPath } from '@assay/contract'
import { indexKey } from '../../../environment/index.ts'
import { addToRunList, lastRevision, readRecord } from '../../../log/index.ts'
import { mergeParts, type MergedParts, type MissingPart } from '../../../merge/index.ts'
import { formatFor, readRun, renderReport, writeReport } from '../../../report/index.ts'
import { RUN_DEFAULTS } from '../../../run/index.ts'
import { counted } from '../../../text/index.ts'
import { checkWrittenHere } from '../../../trust/root.ts'
import { verdictOf } from '../../output/exit-status.ts'
import { warn, type Output } from '../../output/output.ts'
import { isElsewhere, runSources, type RunSources } from '../../settings/find-run.ts'
import { defaultFolder } from '../../settings/plan-run.ts'

export interface MergeFlags {
  readonly parts: readonly string[]
  readonly output?: string
  readonly maxErrors?: number
  readonly allowPartial?: boolean
  readonly acceptEdited?: boolean
  readonly report?: readonly string[]
}

export async function mergeCommand(flags: MergeFlags, output: Output): Promise<number> {
  // Check the report paths before the logs are read. A path without a known format or through a link out of the
  // repository is refused.
  for (const path of flags.report ?? []) {
    formatFor(path)
    checkWrittenHere(dirname(path))
  }
  if (flags.output !== undefined) checkWrittenHere(flags.output)
  const sources = await runSources()
  const merged = await mergeParts({
    parts: flags.parts,
    folder: flags.output ?? folderFor(flags, sources),
    freeName: flags.output === undefined,
    acceptEdited: flags.acceptEdited,
  })
  const { folder, record, ended } = merged
  try {
    addToRunList(sources.list, { id: record.id, folder })
  } catch (error) {
    warn(output, `cannot add this run to ${sources.list}: ${(error as Error).message}`)
  }
  const source = await readRun(folder, { indexKey, acceptEdited: flags.acceptEdited })
  const { counts } = source.report
  output.out(renderReport(source.report, output))
  for (const line of partLines(merged)) output.err(`${output.colors.yellow(line)}\n`)
  for (const text of merged.warnings) warn(output, text)
  const maxErrors = flags.maxErrors ?? RUN_DEFAULTS.maxErrors
  // If trials are missing, the merged run is incomplete. But nobody interrupted the merge, so `interrupted` does not
  // apply.
  const verdict = verdictOf(ended === 'interrupted' ? 'complete' : ended, counts, {
    tooManyErrors: counts.errored > Math.floor(maxErrors * counts.planned),
    allowPartial: flags.allowPartial ?? false,
  })
  if (verdict.said !== null) output.err(`${output.colors.yellow(verdict.said)}\n`)
  output.out(`\nrun folder  ${plain(folder)}\n`)
  output.out(`merged      ${counted(flags.parts.length, 'part')}\n`)
  if (verdict.resumable) output.out(`continue    assay run --resume ${shellPath(folder)}\n`)
  if (counts.failed + counts.errored > 0)
    output.out(`why         assay show ${shellPath(folder)}\n`)
  for (const path of flags.report ?? []) {
    await writeReport(formatFor(path), source, path)
    output.out(`wrote       ${plain(path)}\n`)
  }
  return verdict.code
}

/**
 * Returns the default folder of the merged run. Its name contains the names of the suites, which are in the first
 * part's record.
 */
function folderFor({ parts, acceptEdited }: MergeFlags, sources: RunSources): string {
  const [first = ''] = parts
  const [runs] = sources.folders
  // The settings or a link in the repository may name any folder of the user. So such a folder is refused.
  if (isElsewhere(join(runs, 'run'), sources))
    throw new UsageError(
      `${runs} is outside of this repository, which is not trusted with that: nothing was written. Name the folder of the run with --output`,
    )
  return defaultFolder(runs, lastRevision(readRecord(first, { acceptEdited })).suites, new Date())
}

/** Returns lines that say which trials are missing or are in several parts, and how to run the missing ones. */
function partLines(merged: MergedParts): string[] {
  const { missing, missingTrials, twice, differing, ungraded } = merged
  const total = missing.reduce((sum, one) => sum + one.missing, 0)
  const lines = missing.map(missingLine)
  if (missingTrials.length > 0) {
    const more = total - missingTrials.length
    lines.push('missing trials:')
    for (const { suite, case: id, subject, index } of missingTrials)
      lines.push(`  ${plain(`${suite} · ${id} · ${subject} · trial ${index}`)}`)
    if (more > 0) lines.push(`  and ${more} more`)
  }
  if (ungraded > 0)
    lines.push(
      `${counted(ungraded, 'answer')} that arrived ${ungraded === 1 ? 'has' : 'have'} no grade yet; --resume grades ${ungraded === 1 ? 'it' : 'them'} and does not ask again`,
    )
  if (twice > 0)
    lines.push(
      `${counted(twice, 'trial')} ${twice === 1 ? 'is' : 'are'} in more than one run of the same part; the earlier run counts, unless its trial errored. Ended differently: ${differing}`,
    )
  return lines
}

function missingLine({ index, of, folders, missing, planned }: MissingPart): string {
  const [folder] = folders
  if (folder === undefined)
    return `part ${index} of ${of} is missing with ${counted(missing, 'trial')}: run it with --shard ${index}/${of} and merge again, or run the missing trials here with --resume`
  return `part ${index} of ${of} lacks ${missing} of ${counted(planned, 'trial')}: assay run --resume ${shellPath(folder)} completes it; then merge again`
}
