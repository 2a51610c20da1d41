/** Describes uses in words for the user, in the trust question and in `--dry-run`. */
import { relative } from 'node:path'
import { plain } from '@assay/contract'
import { shownWords } from './shell-words.ts'
import { isShown, needsTrust, type Use } from './use.ts'

/**
 * Returns the description: "start …", "send … to …". It is never shortened, because the user must see everything that
 * they are asked to allow.
 */
export const useText = (use: Use): string => `${plain(actionOf(use))} ${plain(whyOf(use))}`

/**
 * Returns the description, shortened if it is long: its beginning, how much is left out, and its end. Otherwise a
 * single word of thousands of characters would push the rest of the command, and the other uses, off the screen.
 */
export const shortUseText = (use: Use): string =>
  `${shortened(plain(actionOf(use)))} ${shortened(plain(whyOf(use)))}`

const MOST_SHOWN = 400
const END_SHOWN = 180

function shortened(text: string): string {
  if (text.length <= MOST_SHOWN) return text
  const [start, end] = [text.slice(0, END_SHOWN), text.slice(-END_SHOWN)]
  const shown = `${start} […${text.length - 2 * END_SHOWN} more characters…] ${end}`
  return shown.toWellFormed()
}

function actionOf(use: Use): string {
  if (use.does === 'read' || use.does === 'write') return `${use.does} ${use.path}`
  if (use.does === 'send')
    return use.variable === null
      ? `contact ${use.to}, without a key`
      : `send ${use.variable} to ${use.to}`
  const where = relative('.', use.in)
  const sandbox = use.isSandboxed === true ? ' in a sandbox' : ''
  return `start ${shownWords(use.words)}${where === '' ? '' : ` in ${where}`}${sandbox}`
}

const whyOf = (use: Use): string => `(${use.for}${from(use)}${origin(use)})`

/**
 * Names the environment variable that sets the address. Otherwise it would seem that the file which names the key's
 * variable also sets the address.
 */
const origin = (use: Use): string =>
  use.does === 'send' && use.toVariable !== undefined ? `, the address from ${use.toVariable}` : ''

function from(use: Use): string {
  const { by, for: forWhom } = use
  if (by.file === null || forWhom.includes(by.file)) return ''
  const what = use.does === 'send' && use.toVariable !== undefined ? `${use.variable ?? 'it'} ` : ''
  return `, ${what}named in ${by.file}`
}

/** Returns the lines about uses that a dry run prints. */
export const planLines = (uses: readonly Use[], isAllowed: (use: Use) => boolean): string[] =>
  uses
    .filter(isShown)
    .map(
      (use) =>
        `would ${useText(use)}${needsTrust(use) && !isAllowed(use) ? ': not trusted yet' : ''}`,
    )
