/** Grades a program: takes a case and an answer, returns a grade. */
export { lookAtTests, runTests, type CheckingTests, type TestFinding } from './check-tests.ts'
export { codeWeightsSchema, type CodeProfile } from './code-weights.ts'
export { extractCode, type Extracted } from './extract/extract.ts'
export { fencedBlocks, type FencedBlock } from './extract/fenced.ts'
export {
  codeDefaults,
  codeOptions,
  gradeCode,
  type CodeInput,
  type CodeOptions,
} from './grade-code.ts'
export type { Language, Tool } from './language.ts'
export { canGrade, gradableLanguages, languageByName, languages } from './languages.ts'
export { ownFaulty, type OwnFaulty } from './fault/own-faulty.ts'
export { closeTools, startTools } from './open-tools.ts'
export { TestsFault } from './fault/tests-fault.ts'
export { timeSchema } from './time-schema.ts'
export { isCode, lackLines, prepareCode, refuseLacks, type Toolchains } from './toolchains.ts'
