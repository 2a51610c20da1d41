/** Applies a diff to a workspace. This runs `git apply` inside the sandbox of the workspace. */
import { SubjectError, type TrialWorkspace, type WorkspaceDiff } from '@assay/contract'
import { findProgram } from '@assay/sandbox'

/** Whether a text is a diff, and not an answer with files. A diff begins like the output of `git diff` or `diff -u`. */
export const isDiff = (text: string): boolean => /^(?:diff --git |--- \S)/u.test(text.trimStart())

const TIMEOUT_MS = 60_000
const MOST_BYTES = 1024 * 1024

/**
 * Applies the diff and returns the changes. Throws a `SubjectError` if the diff does not apply, or if git is missing.
 */
export async function applyDiff(
  workspace: TrialWorkspace,
  diff: string,
  signal: AbortSignal,
): Promise<WorkspaceDiff> {
  const git = findProgram('git')
  if (git === null) throw failed('a reference that is a diff needs git, which is not installed')
  const { code, stderr } = await workspace.run({
    argv: [git, 'apply', '--whitespace=nowarn', '-'],
    env: {},
    reads: [],
    input: diff.trimStart().replace(/\n*$/u, '\n'),
    timeoutMs: TIMEOUT_MS,
    mostBytes: MOST_BYTES,
    signal,
    onOutput: () => 'go on',
  })
  if (code !== 0) throw failed(`the diff does not fit: ${stderr.trim().slice(0, 300)}`)
  return workspace.diff()
}

const failed = (message: string): SubjectError =>
  new SubjectError(message, { reason: 'no-answer', retry: false })
