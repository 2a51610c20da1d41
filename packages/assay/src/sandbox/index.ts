/** Where untrusted code runs. */
export { collect, type Collected } from './collect.ts'
export {
  inspectSandbox,
  openSandbox,
  type SandboxChoice,
  type SandboxState,
} from './open-sandbox.ts'
export {
  SandboxError,
  type Boxed,
  type Ended,
  type Limits,
  type Program,
  type Sandbox,
} from './sandbox.ts'
