/** Where untrusted code runs. */
export { openBubblewrap } from './bubblewrap.ts'
export {
  SandboxError,
  type Boxed,
  type Ended,
  type Limits,
  type Program,
  type Sandbox,
} from './sandbox.ts'
