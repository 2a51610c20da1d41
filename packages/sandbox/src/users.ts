/**
 * User numbers for programs in a sandbox that was started as root. No account of the machine has these numbers. Each
 * program gets a new number, except programs that share folders: these run as the owner of the folders.
 */
import { randomInt } from 'node:crypto'
import { lstatSync, readFileSync } from 'node:fs'
import { SandboxError, type Owner, type Program } from './sandbox.ts'

/** The lowest number that is used. Accounts of the machine and the number ranges of containers are below it. */
const FIRST = 2 ** 30
const LAST_START = 2 ** 31 - 2 ** 24
const LAST = 2 ** 31 - 1

export interface Users {
  next(): Owner
  /** Returns the owner of the folders that the program shares, or a new user if it shares none. */
  of(program: Program): Owner
}

export function makeUsers(): Users {
  let number = randomInt(FIRST, LAST_START)
  const next = (): Owner => {
    const user = number++
    return { uid: user, gid: user }
  }
  return {
    next,
    of({ folders = [] }) {
      const [owner = next(), ...others] = folders.map(({ from }) => ownerOf(from))
      if (others.some(({ uid, gid }) => uid !== owner.uid || gid !== owner.gid))
        throw new SandboxError('the folders that a program shares must belong to one user')
      return owner
    },
  }
}

/**
 * Returns the owner of a folder. Throws if the owner is an account of the machine, such as root, because a program
 * must not run as that account.
 */
function ownerOf(folder: string): Owner {
  const state = lstatSync(folder, { throwIfNoEntry: false })
  if (state === undefined) throw new SandboxError(`there is no folder ${folder} to share`)
  const { uid, gid } = state
  if (![uid, gid].every((id) => id >= FIRST && id <= LAST))
    throw new SandboxError(
      `${folder} belongs to a user of this machine: it must be given to one of the sandbox first`,
    )
  return { uid, gid }
}

/** Whether this process is root and may use every user number. In a container, root may often use only some of them. */
export function hasUsers(): boolean {
  if (process.getuid?.() !== 0) return false
  try {
    return readFileSync('/proc/self/uid_map', 'utf8')
      .split('\n')
      .map((line) => line.trim().split(/\s+/).map(Number))
      .some(([inside = 0, , count = 0]) => inside <= FIRST && inside + count > LAST)
  } catch {
    return false
  }
}
