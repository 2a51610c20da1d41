/**
 * Completes a subject `replay-agent:RUN`, which replays an agent with the recorded replies of a run. It replaces the
 * run's name with its folder, and adds the subject if the run has only one. The run may come from another person,
 * and its subject may be a command that the user did not choose. So a command is taken from the run only if the
 * user's own command line started that run with it.
 */
import { existsSync } from 'node:fs'
import { shellWord, UsageError } from '@assay/contract'
import { lastRevision, readRecord } from '../../log/index.ts'
import { splitCommand } from '../../subject/index.ts'
import { byUserIn, consentedIn, consentKey, isTrustedByEnvironment } from '../../trust/index.ts'

export function normalTraffic(
  subject: string,
  find: (name: string) => string,
  trustsAll: boolean,
): string {
  const [, name = '', choice] = /^replay-agent:\s*([^#]+?)\s*(#.*)?$/s.exec(subject) ?? []
  if (name === '') return subject
  const folder = name !== 'latest' && existsSync(name) ? name : find(name)
  return `replay-agent:${folder}${choice ?? `#${onlySubject(folder, trustsAll)}`}`
}

function onlySubject(folder: string, trustsAll: boolean): string {
  const { subjects, consent } = lastRevision(readRecord(folder))
  const [only] = subjects
  if (only === undefined || subjects.length > 1)
    throw new UsageError(
      `the run ${folder} has several subjects (${subjects.map(({ id }) => id).join(', ')}): choose one with replay-agent:${folder}#SUBJECT`,
    )
  const { id } = only
  if (trustsAll || isTrustedByEnvironment(process.env) || isHarmless(id) || isOwn(id, consent))
    return id
  throw new UsageError(
    `the run ${folder} is one of ${id}, and it was not started by you from this folder. Nothing was started. Look at it first; to start it, write --model ${shellWord(`replay-agent:${folder}#${id}`)}`,
  )
}

/**
 * Whether the subject is one of the agents that Assay knows, or the name of a subject in a settings file. Such a file
 * needs trust anyway. A text with `#` does not count, because other code might split it at another `#`.
 */
const isHarmless = (id: string): boolean =>
  id === id.trim() && (id.startsWith('agent:') || !id.includes(':')) && !id.includes('#')

/** Whether the user's own command line started the run with this command, from this folder. */
function isOwn(id: string, consent: unknown): boolean {
  const [, command] = /^command(?:\+json)?:(.*)$/s.exec(id) ?? []
  if (command === undefined) return false
  const words = splitCommand(command)
  const by = byUserIn('.')
  const key = consentKey({ does: 'start', words, in: process.cwd(), by, for: id })
  return key !== null && consentedIn(process.env, by.root, consent).has(key)
}
