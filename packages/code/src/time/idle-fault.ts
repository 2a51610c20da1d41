/**
 * The fault of a solution that only waits. It is ended when it has been idle for its CPU time limit, before its wall
 * time limit.
 */
import type { CodeLimits, Fault } from '../language.ts'

export const idleFault = ({ cpuMs }: Pick<CodeLimits, 'cpuMs'>): Fault => ({
  kind: 'timeout',
  idle: true,
  text: `the code only waited: it used no processor for ${Math.round(cpuMs) / 1000} s`,
})
