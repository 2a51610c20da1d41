export type { Trial } from './contract.ts'
