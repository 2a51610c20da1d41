/** A solution that only waits is ended after its time for the processor, not after its time on the clock. */
import type { CodeLimits, Fault } from '../language.ts'

export const idleFault = ({ cpuMs }: Pick<CodeLimits, 'cpuMs'>): Fault => ({
  kind: 'timeout',
  idle: true,
  text: `the code only waited: it used no processor for ${Math.round(cpuMs) / 1000} s`,
})
