export { passAtK, passAtKNaive } from './spec/pass-at-k.ts'
