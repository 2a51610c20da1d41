/**
 * The exports for the viewer: the types of its data, and the texts and figures that the terminal shows too.
 * This runs in a browser, so nothing here may import modules of Node.
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
