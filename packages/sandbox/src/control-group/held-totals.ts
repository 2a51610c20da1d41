/**
 * Enforces the limits that apply to a program together with everything that it starts. A control group limits memory
 * and processes, and a watch limits what the program writes to its shared folders. A sandbox opens its control groups
 * when it first needs them and releases them when it closes.
 */
import { SandboxError, type Ended, type Program } from '../sandbox.ts'
import { watchDisk, type DiskWatch } from '../shortage/watch-disk.ts'
import { NOTHING_REACHED, type ProgramGroup } from './program-group.ts'
import { useProgramGroups } from './program-groups.ts'

/** The control group of one started program. */
export interface StartedGroup {
  /** The command words that put the program into its group; empty if it has no group. */
  readonly words: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /**
   * Starts the watch on the disk. Must be called when the program has started. The watch calls `stop` to end the
   * program.
   */
  watch(stop: () => void): void
  /** Must be called when all processes of the program are gone. */
  end(): Promise<Pick<Ended, 'reached' | 'starved'>>
}

export interface HeldTotals {
  name(): string
  /**
   * Creates the group for a program. Throws a `SandboxError` if the machine supports groups but this one cannot be
   * created now.
   */
  group(program: Program): StartedGroup
  release(): void
}

const NO_TOTAL: StartedGroup = { words: [], env: {}, watch() {}, end: () => Promise.resolve({}) }

export function heldTotals(): HeldTotals {
  let used: ReturnType<typeof useProgramGroups> | null = null
  const groups = () => (used ??= useProgramGroups()).groups
  return {
    name: () => groups().name,
    group({ limits: { total }, env, folders = [] }) {
      if (total === undefined) return NO_TOTAL
      const group = made(() => groups().make(total, env))
      let disk: DiskWatch | null = null
      return {
        words: group?.words ?? [],
        env: group?.env ?? {},
        watch(stop) {
          disk = watchDisk(
            folders.map(({ from }) => from),
            stop,
          )
        },
        async end() {
          const { reached, starved } = group?.end() ?? NOTHING_REACHED
          const written = (await disk?.end()) ?? null
          const all = {
            reached: written === 'reached' ? 'disk' : reached,
            starved: written === 'starved' ? 'disk' : starved,
          } as const
          return {
            ...(all.reached === null ? {} : { reached: all.reached }),
            ...(all.starved === null ? {} : { starved: all.starved }),
          }
        },
      }
    },
    release() {
      used?.release()
      used = null
    },
  }
}

function made(make: () => ProgramGroup | null): ProgramGroup | null {
  try {
    return make()
  } catch (error) {
    throw new SandboxError(`no control group could be made: ${String(error)}`, { cause: error })
  }
}
