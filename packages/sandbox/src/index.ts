/** Runs untrusted code in a sandbox. */
export { collect, type Collected } from './collect.ts'
export { commandPath, findProgram, foldersOnPath, isProgram, programPath } from './find-program.ts'
export { watchUse, whenIdle, type UseLimits } from './idle.ts'
export { readCeilings } from './limits.ts'
export {
  inspectSandbox,
  openAgentSandbox,
  openSandbox,
  type SandboxChoice,
  type SandboxState,
} from './open-sandbox.ts'
export { OWN_PACKAGES } from './bubblewrap/agent-mounts.ts'
export {
  agentLimits,
  commandTotal,
  GRADER_SCRATCH_BYTES,
  limitedAs,
  PROFILES,
  PYTHON_FORKS,
  WALL_FACTOR,
  WORK_IDLE_MS,
  workTotal,
  type Profile,
} from './profiles.ts'
export {
  SandboxError,
  type SandboxedProcess,
  type Ended,
  type Limits,
  type Owner,
  type Program,
  type Sandbox,
  type SharedFolder,
} from './sandbox.ts'
export type { Short } from './control-group/program-group.ts'
export { gradeFairly, type FairWork, type Soundness } from './shortage/grade-fairly.ts'
export { diesWithUs } from './dies-with-us.ts'
export { abandonedFolders, makeOwnedFolder, removeAbandonedFolders } from './owned-folder.ts'
export {
  holdsHome,
  isEverybodys,
  isWithin,
  nearestRepository,
  realPathIn,
  repositoryOf,
} from './repository/repository.ts'
export { runProcess, type ProcessEnd } from './run-process.ts'
export { npmReads, WORK_PLACE, workEnvironment, type WorkPlace } from './work-place.ts'
export { killSurvivors, MARK_VARIABLE } from './survivors.ts'
export { isVersionControl, versionControlFolders } from './repository/version-control.ts'
