/** Uses for people: what is shown before they decide, and by `--dry-run`. */
import { relative } from 'node:path'
import { plain } from '../plain.ts'
import { shownWords } from './shell-words.ts'
import { needsTrust, type Use } from './use.ts'

/** What happens: "start …", "send … to …". Never cut short: what is asked about must be seen whole. */
export const useText = (use: Use): string => plain(textOf(use))

function textOf(use: Use): string {
  switch (use.does) {
    case 'start': {
      const where = relative('.', use.in)
      return `start ${shownWords(use.words)}${where === '' ? '' : ` in ${where}`} (${use.for}${from(use)})`
    }
    case 'send':
      return use.variable === null
        ? `contact ${use.to}, without a key (${use.for}${from(use)})`
        : `send ${use.variable} to ${use.to} (${use.for}${from(use)})`
    case 'read':
      return `read ${use.path} (${use.for}${from(use)})`
  }
}

const from = ({ by, for: forWhom }: Use): string =>
  by.file === null || forWhom.includes(by.file) ? '' : `, named in ${by.file}`

/** Lines of a plan that is only looked at. */
export const planLines = (uses: readonly Use[], isAllowed: (use: Use) => boolean): string[] =>
  uses.map(
    (use) =>
      `would ${useText(use)}${needsTrust(use) && !isAllowed(use) ? ': not trusted yet' : ''}`,
  )
