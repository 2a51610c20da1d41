/** Reads Assay's own environment variables and hides the secret ones from other programs. */
export { exposures, type Exposure } from './exposures.ts'
export { HANDED_OVER, keepSecrets } from './keep-secrets.ts'
export {
  addOwnVariables,
  handOver,
  hideSecrets,
  isSecretName,
  ownVariable,
  ownVariables,
  secretsIn,
  type Variables,
} from './secrets.ts'
export {
  cacheFolder,
  configFolder,
  homeFolders,
  indexKey,
  makeUserKey,
  readUserKey,
  writePrivate,
} from './user-configuration.ts'
