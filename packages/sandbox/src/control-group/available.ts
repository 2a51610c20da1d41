/**
 * How much memory and how many processes Assay can get. Two things limit them: what the machine has, and the limits
 * of the control groups that Assay's process is in. The smaller amount counts.
 */
import { totalmem } from 'node:os'
import { numberIn } from './events.ts'
import type { Hierarchies } from './hierarchy.ts'

export interface Amounts {
  readonly memoryBytes: number
  /** The number of processes and threads together. */
  readonly processes: number
}

/** The usual limit of Linux, used if the machine does not report its own. */
const USUAL_PROCESSES = 32_768

export function available({ pids, memory }: Hierarchies): Amounts {
  const memoryFile = memory?.version === 1 ? 'memory.limit_in_bytes' : 'memory.max'
  return {
    memoryBytes: Math.min(
      totalmem(),
      ...(memory?.groups ?? []).map((folder) => numberIn(`${folder}/${memoryFile}`) ?? Infinity),
    ),
    processes: Math.min(
      numberIn('/proc/sys/kernel/pid_max') ?? USUAL_PROCESSES,
      numberIn('/proc/sys/kernel/threads-max') ?? USUAL_PROCESSES,
      ...(pids?.groups ?? []).map((folder) => numberIn(`${folder}/pids.max`) ?? Infinity),
    ),
  }
}

/**
 * The share of the available amounts that all sandboxed programs together may use. The rest is left for Assay itself
 * and for other programs of the machine.
 */
const TOGETHER = { memory: 0.9, processes: 0.9 }
/**
 * The share of the available amounts that one program may use. Without this limit, a single program could use up
 * everything.
 */
const ONE = { memory: 0.75, processes: 0.5 }
/** The lowest limits. With less, ordinary programs could not start. */
const LEAST_PROCESSES = 64
const LEAST_MEMORY_BYTES = 256 * 2 ** 20

export const forAll = (most: Amounts): Amounts => ({
  memoryBytes: Math.max(LEAST_MEMORY_BYTES, Math.floor(most.memoryBytes * TOGETHER.memory)),
  processes: Math.max(1, Math.floor(most.processes * TOGETHER.processes)),
})

export const forOne = (wanted: Amounts, most: Amounts): Amounts => ({
  memoryBytes: Math.min(
    wanted.memoryBytes,
    Math.max(LEAST_MEMORY_BYTES, Math.floor(most.memoryBytes * ONE.memory)),
  ),
  processes: Math.min(
    wanted.processes,
    Math.max(LEAST_PROCESSES, Math.floor(most.processes * ONE.processes)),
  ),
})
