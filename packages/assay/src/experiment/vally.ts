/**
 * Recognises files of the program vally that Assay does not read. Assay reads vally's eval files as suites. But vally's
 * experiments and settings have keys that mean something else in Assay. So they are refused, and the error says what to
 * write instead.
 */
import path from 'node:path'
import { fileError, isRecord } from '../documents/index.ts'

/** Throws a `SuiteError` if the file is an experiment or a settings file of vally. */
export function refuseVally(file: string, value: unknown): void {
  if (!isRecord(value)) return
  const { suites, evals, paths } = value
  if (Array.isArray(evals) && suites === undefined && ('variants' in value || 'matrix' in value))
    throw fileError(
      file,
      'an experiment file of vally',
      'an experiment of Assay: `suites` with the files of `evals`, a subject in [subjects] for each variant, and `vary` and `baseline` as they are (docs/guides/experiments.md). Assay reads the eval files themselves',
    )
  const isNamed = /^\.vally\.ya?ml$/.test(path.basename(file))
  if (isNamed || (isRecord(paths) && ('evals' in paths || 'skills' in paths)))
    throw fileError(
      file,
      'the settings of vally',
      'the eval files that it lists, or their folder: assay run evals/. Assay’s own settings are in assay.toml',
    )
}
