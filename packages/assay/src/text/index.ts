export {
  counted,
  dollars,
  percent,
  costPerPass,
  share,
  count,
  seconds,
  setDuration,
  signed,
} from './figures.ts'
export { codePoints, editDistance } from './edit-distance.ts'
export { matchesGlob, matchesName, hasGlob } from './glob.ts'
export {
  code,
  markdownName,
  markdownTable,
  htmlCode,
  prose,
  type MarkdownColumn,
} from './markdown-text.ts'
export { natural } from './natural-compare.ts'
export { moduleHint } from './module-hint.ts'
export { nearest } from './nearest.ts'
export { inGroupsText, moreTrialsText } from './needed-text.ts'
export {
  wrap,
  wrapProse,
  cut,
  padEnd,
  table,
  displayWidth,
  GAP,
  cutStart,
  type Column,
} from './table.ts'
