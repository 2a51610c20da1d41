/** Grades on a machine with too little of a resource. A control group simulates that machine. */
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { hierarchiesIn, readTables } from '../../packages/sandbox/src/control-group/hierarchy.ts'
import type { GradedStarved, Grading } from './grade-starved.ts'

const { pids, memory } = hierarchiesIn(readTables())

/** Whether this machine lets us limit processes so; version 1 as root. */
export const canStarve = process.getuid?.() === 0 && pids?.version === 1 && memory?.version === 1

export interface StarvingLimits {
  readonly processes?: number
  readonly memoryBytes?: number
}

/** Makes control groups with these limits. */
export function starving({ processes, memoryBytes }: StarvingLimits): {
  readonly groups: readonly string[]
  readonly remove: () => Promise<void>
} {
  const groups: string[] = []
  const make = (hierarchy: typeof pids, file: string, most: number | undefined): void => {
    if (hierarchy === null || most === undefined) return
    const folder = mkdtempSync(`${hierarchy.groups[0]}/starved-`)
    writeFileSync(`${folder}/${file}`, String(most))
    groups.push(folder)
  }
  make(pids, 'pids.max', processes)
  make(memory, 'memory.limit_in_bytes', memoryBytes)
  return {
    groups,
    async remove() {
      for (const folder of groups) await removeGroup(folder)
    },
  }
}

/**
 * Removes a control group as soon as its last process has ended. The processes of a fork bomb on a busy machine took
 * seconds to end. Processes that are still there after a minute are a defect, and the error names them.
 */
async function removeGroup(folder: string): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    try {
      rmdirSync(folder)
      return
    } catch {
      await sleep(100)
    }
  }
  const left = readFileSync(`${folder}/cgroup.procs`, 'utf8').trim().split('\n')
  throw new Error(`processes are left in ${folder}: ${left.map(commandOf).join(', ')}`)
}

const commandOf = (pid: string): string => {
  try {
    return `${pid} ${readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')}`
  } catch {
    return pid
  }
}

const run = promisify(execFile)

/** Grades answers at the same time, in a process that enters the limits before it grades. */
export async function gradeStarved(
  limits: StarvingLimits,
  gradings: readonly Grading[],
): Promise<readonly GradedStarved[]> {
  const { groups, remove } = starving(limits)
  const folder = mkdtempSync(join(tmpdir(), 'starved-'))
  const job = join(folder, 'gradings.json')
  writeFileSync(job, JSON.stringify(gradings))
  try {
    const { stdout } = await run(process.execPath, [GRADE, job, ...groups], {
      maxBuffer: 2 ** 24,
      timeout: 900_000,
    })
    return JSON.parse(stdout) as GradedStarved[]
  } finally {
    rmSync(folder, { recursive: true })
    await remove()
  }
}

const GRADE = fileURLToPath(new URL('grade-starved.ts', import.meta.url))
