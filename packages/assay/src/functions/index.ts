/**
 * Suites whose subjects and graders are functions. This folder defines such suites, runs their functions, and turns the
 * functions into subjects.
 */
export {
  suite,
  type FunctionCase,
  type FunctionGrade,
  type FunctionGrader,
  type FunctionSuite,
  type GraderCall,
  type GraderTable,
  type NamedFunctionGrader,
  type Reported,
  type ReportedStep,
  type SubjectCall,
} from './define.ts'
export { functionSubjects } from './function-subjects.ts'
export { passVariables } from './pass-variables.ts'
export { forgetFunctions, openFunctions } from './hosts.ts'
export { openProcessHost } from './process-host.ts'
export { localHost } from './local-host.ts'
