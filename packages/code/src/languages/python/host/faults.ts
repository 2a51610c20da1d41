/** Describes in words why the process of a solution ended. */
import { constants } from 'node:os'
import { WALL_FACTOR } from '@assay/sandbox'
import type { CodeLimits, Fault } from '../../../language.ts'
import { BROKE, type Gone } from './forks.ts'

const { SIGABRT, SIGBUS, SIGILL, SIGKILL, SIGSEGV, SIGXCPU } = constants.signals
const NAMES = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]))

const seconds = (ms: number): string => `${Math.round(ms) / 1000} s`
const megabytes = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MB`

export function faultOf(gone: Exclude<Gone, 'unborn'>, limits: CodeLimits): Fault {
  if (gone === 'flood')
    return { kind: 'output', text: 'the code wrote to a connection that is not its own' }
  if (gone === 'lost')
    return { kind: 'crash', text: 'the code ended the process that it was started by' }
  const { code, signal, cpuMs } = gone
  if (signal === SIGXCPU || (signal === SIGKILL && cpuMs >= limits.cpuMs))
    return {
      kind: 'timeout',
      text: `the code used more than ${seconds(limits.cpuMs)} of processor time`,
    }
  if (signal === SIGSEGV || signal === SIGBUS || signal === SIGABRT || signal === SIGILL)
    return {
      kind: 'crash',
      text: `the code crashed (${NAMES.get(signal)}), as with a recursion without end`,
    }
  if (signal !== null)
    return {
      kind: 'crash',
      text: `the code was ended by ${NAMES.get(signal) ?? `signal ${signal}`}`,
    }
  if (code === BROKE) return { kind: 'crash', text: 'the code broke its connection to the tests' }
  return { kind: 'exit', text: `the code ended its own process (exit code ${code ?? 0})` }
}

/**
 * The fault to report if the tester's process ended. If the solution was already loaded, it may be the cause, so this
 * counts as a failure of the solution. If it counted as an error of the trial, a wrong solution could avoid its
 * failure by making the tester crash.
 */
export const testerFault = (gone: Exclude<Gone, 'unborn'>): Fault => ({
  kind: 'crash',
  text:
    typeof gone === 'object' && gone.code !== null && gone.code !== BROKE
      ? `the tests ended their own process (exit code ${gone.code})`
      : 'the tests did not survive what the code returned',
})

export const slow = ({ cpuMs }: CodeLimits): Fault => ({
  kind: 'timeout',
  text: `the code did not end within ${seconds(cpuMs * WALL_FACTOR)}`,
})

export const hungry = ({ memoryBytes }: CodeLimits): Fault => ({
  kind: 'memory',
  text: `the code needed more than ${megabytes(memoryBytes)} of memory`,
})
