/** The interface of one program's control group. There are two implementations: group folders and systemd scopes. */
import type { Amounts } from './available.ts'

/** A resource that ran out. */
export type Short = 'disk' | 'memory' | 'processes'

/** Which limits a program reached, according to its control group. */
export interface GroupEnd {
  /** The resource for which the program reached its own limit. */
  readonly reached: Short | null
  /**
   * The resource that the program was denied because a parent control group reached its limit. The program itself was
   * below its own limit.
   */
  readonly starved: Short | null
}

/** The control group of one program. */
export interface ProgramGroup {
  /** Command words to put before the program's own command, so that it starts in the group. */
  readonly words: readonly string[]
  /** Environment variables that these words need. The program itself does not get them. */
  readonly env: Readonly<Record<string, string>>
  /** Removes the group. Must be called when all processes of the program are gone. */
  end(): GroupEnd
}

export interface ProgramGroups {
  /** The name in records, such as `control groups of version 1 (processes, memory)`. */
  readonly name: string
  /**
   * Creates a group. Returns null if this machine offers no groups. Throws the system's error if a group cannot be
   * created now.
   */
  make(wanted: Amounts, env: Readonly<Record<string, string>>): ProgramGroup | null
  /** Removes all groups that this process still has. */
  close(): void
}

export const NOTHING_REACHED: GroupEnd = { reached: null, starved: null }
