/**
 * The fault of a solution that only waits. Such a solution is ended when it has used no CPU time for as long as its
 * CPU time limit. That is sooner than its wall time limit.
 */
import type { CodeLimits, Fault } from '../language.ts'

export const idleFault = ({ cpuMs }: Pick<CodeLimits, 'cpuMs'>): Fault => ({
  kind: 'timeout',
  idle: true,
  text: `the code only waited: it used no processor for ${Math.round(cpuMs) / 1000} s`,
})
