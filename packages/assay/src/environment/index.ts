/** Assay's own environment variables, and how the secret ones are kept from other programs. */
export { exposures, type Exposure } from './exposures.ts'
export { HANDED_OVER, keepSecrets } from './keep-secrets.ts'
export {
  handOver,
  hideSecrets,
  ownVariable,
  ownVariables,
  secretsIn,
  type Variables,
} from './secrets.ts'
