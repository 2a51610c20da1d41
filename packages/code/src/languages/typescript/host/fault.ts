/** Explains to the user why the process of a solution has ended. */
import type { Ended } from '@assay/sandbox'
import type { Fault } from '../../../language.ts'

const seconds = (ms: number): string => `${Math.round(ms / 100) / 10} s`

export const timeoutFault = (clock: 'cpu' | 'wall', ms: number): Fault => ({
  kind: 'timeout',
  text:
    clock === 'cpu'
      ? `the sample used more than ${seconds(ms)} of processor time`
      : `the sample did not come to an end within ${seconds(ms)}`,
})

/** Matches messages of V8 and the C library about exhausted memory. */
const MEMORY =
  /out of memory|allocation failed|bad_alloc|Cannot allocate|ENOMEM|AllocatePage|Oilpan/i

const UNSETTLED = 13

export function faultOf({ code, signal, how }: Ended, cpuMs: number, stderr: string): Fault {
  if (how === 'cpu') return timeoutFault('cpu', cpuMs)
  const fatal =
    signal === null && (code === null || code < 128)
      ? null
      : (signal ?? `signal ${(code ?? 128) - 128}`)
  if (MEMORY.test(stderr) && (fatal !== null || code !== 0))
    return { kind: 'memory', text: 'the sample used more memory than it may' }
  if (fatal !== null) return { kind: 'crash', text: `the sample crashed (${fatal})` }
  // Node exits with this code if the program waits for a promise and nothing is left that could settle it.
  if (code === UNSETTLED)
    return { kind: 'timeout', idle: true, text: 'the code only waited: nothing was left to run' }
  return { kind: 'exit', text: `the sample ended its own process (exit code ${code})` }
}
