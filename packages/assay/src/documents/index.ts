export { check } from './check.ts'
export {
  type Document,
  type Position,
  positionAt,
  located,
  SyntaxProblem,
  unplaced,
} from './document.ts'
export { parseJson } from './json-text.ts'
export { nearestIn } from './nearest-file.ts'
export { takeNotes, valueAt, type Notes, type Finding } from './notes.ts'
export { isRecord, plainJson, type Fault } from './plain-value.ts'
export {
  fileError,
  type Path,
  quote,
  formatWarning,
  SuiteError,
  type Problem,
  type Warning,
  escapeControls,
  formatPath,
} from './problem.ts'
export { readDocument, type Syntax } from './read-document.ts'
export {
  readable,
  readBytes,
  readText,
  readLines,
  readLineBatches,
  readHead,
  type Head,
  type Line,
} from './source.ts'
export { CsvError, CsvParser, type CsvRow, SEMICOLON } from './csv.ts'
export { noteUnread } from './unread.ts'
export { hasFunctions, isFunction, type AnyFunction } from './has-functions.ts'
export { forgetModules, isEvalPath, isModulePath, exportedData, readModule } from './module.ts'
