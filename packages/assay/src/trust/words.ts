/** Describes uses in words for the user, in the trust question and in `--dry-run`. */
import { relative } from 'node:path'
import { plain } from '@assay/contract'
import { shownWords } from './shell-words.ts'
import { isShown, needsTrust, type Use } from './use.ts'

/**
 * Returns the description: "start …", "send … to …". It is never shortened, because the user must see everything that
 * they are asked to allow.
 */
export const useText = (use: Use): string => plain(textOf(use))

function textOf(use: Use): string {
  const why = `(${use.for}${from(use)}${origin(use)})`
  if (use.does === 'read' || use.does === 'write') return `${use.does} ${use.path} ${why}`
  if (use.does === 'send')
    return use.variable === null
      ? `contact ${use.to}, without a key ${why}`
      : `send ${use.variable} to ${use.to} ${why}`
  const where = relative('.', use.in)
  const sandbox = use.isSandboxed === true ? ' in a sandbox' : ''
  return `start ${shownWords(use.words)}${where === '' ? '' : ` in ${where}`}${sandbox} ${why}`
}

/**
 * Names the environment variable that sets the address. Otherwise it would look as if the file that names the key's
 * variable also set the address.
 */
const origin = (use: Use): string =>
  use.does === 'send' && use.toVariable !== undefined ? `, the address from ${use.toVariable}` : ''

function from(use: Use): string {
  const { by, for: forWhom } = use
  if (by.file === null || forWhom.includes(by.file)) return ''
  const what = use.does === 'send' && use.toVariable !== undefined ? `${use.variable ?? 'it'} ` : ''
  return `, ${what}named in ${by.file}`
}

/** Returns the lines that a dry run prints. */
export const planLines = (uses: readonly Use[], isAllowed: (use: Use) => boolean): string[] =>
  uses
    .filter(isShown)
    .map(
      (use) =>
        `would ${useText(use)}${needsTrust(use) && !isAllowed(use) ? ': not trusted yet' : ''}`,
    )
