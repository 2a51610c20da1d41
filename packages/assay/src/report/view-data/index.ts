/**
 * What the pages import from Assay: the shapes of their data, and the words and figures that the terminal
 * shows too. It runs in a browser, so nothing here may import Node's modules.
 */
export { costPerPass, count, counted, dollars, percent, seconds, signed } from '../../text/index.ts'
export { offset, shortCount, tokenWords, totalWords, unkeptWords } from './step-words.ts'
export type {
  LeftOut,
  Missing,
  ViewCase,
  ViewCell,
  ViewChange,
  ViewData,
  ViewDiff,
  ViewGrade,
  ViewReport,
  ViewStep,
  ViewSubject,
  ViewText,
  ViewTrajectory,
  ViewTrial,
} from './view-data.ts'
