import { availableParallelism } from 'node:os'
import type { Limits } from './sandbox.ts'

const GIB = 2 ** 30

/**
 * An agent builds and tests as its user would: its time is what ends it, and the machine's own limits. Null:
 * its owner ends it.
 */
export const agentLimits = (timeoutMs: number | null): Limits => ({
  wallMs: timeoutMs,
  cpuMs:
    timeoutMs === null
      ? Number.MAX_SAFE_INTEGER
      : Math.min(timeoutMs * availableParallelism(), Number.MAX_SAFE_INTEGER),
  memoryBytes: Number.MAX_SAFE_INTEGER,
  addressBytes: null,
  processes: 4096,
  fileBytes: 64 * GIB,
  openFiles: 65_536,
})
