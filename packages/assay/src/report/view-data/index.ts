/**
 * The exports for the viewer: the types of its data, and the functions for texts and figures that the terminal uses
 * too. The viewer runs in a browser, so nothing here may import modules of Node.
 */
export {
  costPerPass,
  count,
  counted,
  dollars,
  percent,
  seconds,
  share,
  signed,
} from '../../text/index.ts'
export { pickAfter } from '@assay/contract'
export { comparedAs } from './compared-as.ts'
export { GATE_STATUS, gateSentence, scopeParts, skillSentence } from '../gates/words.ts'
export {
  classificationNotes,
  classificationTitle,
  FIGURE_TITLES,
  figureRows,
  hasNoLabel,
  NO_LABEL,
} from '../words/classification-words.ts'
export { rerunCommand } from '../words/rerun-words.ts'
export { spentText } from '../words/spent-words.ts'
export { gradeBasis, letterOfMean, letterText, MEDIAN_NOTE } from '../words/grade-words.ts'
export { commonK, isScored } from '../words/skill-words.ts'
export { STATISTIC_TITLES, statisticsRows } from '../words/statistics-words.ts'
export {
  COST_TIME_TITLES,
  costTimeRow,
  K_NOTE,
  K_TITLES,
  kRows,
  TIME_NOTE,
} from '../words/subject-words.ts'
export { acrossTiers } from '../words/tier-words.ts'
export {
  AGAINST_TITLES,
  againstAs,
  againstRows,
  againstTitle,
  againstNotes,
} from '../headline/against.ts'
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
  ViewRubric,
  ViewStep,
  ViewSubject,
  ViewText,
  ViewTrajectory,
  ViewTrial,
} from './view-data.ts'
export type {
  CaseEntry,
  CaseHistory,
  MatrixCell,
  MatrixColumn,
  MatrixFilter,
  MatrixRow,
  RunFigure,
  RunHead,
  RunList,
  RunRow,
  RunState,
  ShownRun,
  SuiteChange,
  Trend,
  TrendPoint,
  TrendSeries,
  TrialOrder,
  TrialPage,
  TrialRow,
  ViewMatrix,
} from './workbench-data.ts'
export { makeMatrix, MOST_COLUMNS, type MatrixSource } from './matrix.ts'
export type { SiteCell, SiteIndex, SiteRun } from './site-data.ts'
export { trialPage, type TableCell, type TrialTable } from './trials/trial-page.ts'
export { keptRows, rowsTable, type RowFile } from './trials/site-rows.ts'
export type { Observed, ReviewData, ReviewedLabel, ReviewItem } from './review/review-data.ts'
export {
  reviewFigures,
  type Agreement,
  type Confusion,
  type RaterFigures,
  type ReviewerFigures,
  type ReviewFigures,
  type SubjectCorrection,
} from './review/review-figures.ts'
export { correctionWords, kappaWords, PROMISED_POINTS } from './review/review-words.ts'
export { raterKey, raterName, verdictsOf, type GivenVerdict } from './review/verdicts.ts'
export type {
  ViewCaseChange,
  ViewCaseName,
  ViewComparison,
  ViewPair,
  ViewSide,
} from './comparison-data.ts'
