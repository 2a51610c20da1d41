/** Creates the error that says why a program could not be started. */
import { SubjectError } from '@assay/contract'

/** Error codes for a lack of processes, files or memory. Such a lack can be temporary, so a retry may help. */
const PASSING = new Set(['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM'])

export function notStarted(id: string, program: string, error: unknown): SubjectError {
  const { code = '', message } = error as NodeJS.ErrnoException
  const why: Readonly<Record<string, string>> = {
    ENOENT: `there is no program "${program}"${program.includes('/') ? '' : ' on the PATH'}`,
    EACCES: `"${program}" may not be executed`,
    E2BIG: 'the prompt is too long for an argument: let the command read it from stdin',
    ERR_INVALID_ARG_VALUE: 'the prompt holds a zero byte: let the command read it from stdin',
  }
  return new SubjectError(`${id} could not be started: ${why[code] ?? message}`, {
    reason: 'not-started',
    retry: PASSING.has(code),
    cause: error,
  })
}

const MOST_NOTED = 600

/** Returns the sentence, followed by the last part of the program's stderr. */
export function noted(sentence: string, stderr: string): string {
  const said = stderr.trim()
  if (said === '') return sentence
  return `${sentence}; stderr: ${said.length > MOST_NOTED ? '…' : ''}${said.slice(-MOST_NOTED)}`
}
