/**
 * Decides which programs a folder may start and where it may send API keys. The user is asked once, and the answer
 * is stored in the user's configuration.
 */
export { consentedIn, consentKey, ownSigner, signConsent, type Consent } from './consent.ts'
export {
  decideTrust,
  isAllowed,
  isTrustedByEnvironment,
  withoutRepeats,
  type TrustDecision,
  type TrustOptions,
  type Untrusted,
} from './decide.ts'
export { providerUses } from './provider-uses.ts'
export { isOutsideRoot, repositoryRoot, rootOfFile, rootOfRun } from './root.ts'
export { allow, readTrust, revoke, type TrustStore } from './store.ts'
export { repliesUse, subjectUses, type SubjectAt } from './subject-uses.ts'
export {
  graderNeedsTrust,
  hasPrograms,
  insistsOnRights,
  moduleUse,
  programGraderUses,
  suiteUses,
} from './suite-uses.ts'
export {
  accessRecord,
  byUserIn,
  identityOf,
  isOptional,
  isShown,
  namedIn,
  needsTrust,
  type NamedBy,
  type ReadUse,
  type Use,
} from './use.ts'
export { planLines, shortUseText, useText } from './words.ts'
