/** Where untrusted code runs. */
export { agentLimits } from './agent-limits.ts'
export { collect, type Collected } from './collect.ts'
export { findProgram, isProgram } from './find-program.ts'
export { readCeilings } from './limiting.ts'
export {
  inspectSandbox,
  openAgentSandbox,
  openSandbox,
  type SandboxChoice,
  type SandboxState,
} from './open-sandbox.ts'
export { OWN_PACKAGE } from './open-room.ts'
export {
  SandboxError,
  type Boxed,
  type Ended,
  type Limits,
  type Owner,
  type Program,
  type Sandbox,
  type SharedFolder,
} from './sandbox.ts'
