/** The first line of every summary: which subject is better, how certain this is and at what cost. */
export {
  AGAINST_TITLES,
  againstAs,
  againstRows,
  againstTitle,
  againstNotes,
  type AgainstRow,
} from './against.ts'
export { buildHeadline, headlineOf, headlineText } from './headline.ts'
