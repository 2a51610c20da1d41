/**
 * Finds the control groups that this process is in. The kernel lists them in tables under `/proc`. Linux has two
 * layouts. In version 1, each controller (the part of the kernel that limits one resource) has its own hierarchy of
 * groups. In version 2, one hierarchy has all controllers. A machine can have both, and a container often sees only a
 * part of them.
 */
import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'

export type Controller = 'memory' | 'pids'

/** The hierarchy of one controller: the groups that this process is in. */
export interface Hierarchy {
  readonly version: 1 | 2
  /**
   * The folder of the group that this process is in, then the folders of the groups above it, up to the highest
   * visible one.
   */
  readonly groups: readonly [string, ...string[]]
}

/**
 * For each controller, the groups of this process. Null if the machine lacks the controller, or if this process cannot
 * see its groups.
 */
export type Hierarchies = Readonly<Record<Controller, Hierarchy | null>>

/** The texts of the kernel's tables. Tests of this module pass other texts. */
export interface GroupTables {
  /** The content of `/proc/self/cgroup`: the groups that this process is in. */
  readonly groups: string
  /** The content of `/proc/self/mountinfo`: where file systems are mounted. */
  readonly mounts: string
}

/** Reads the kernel's tables. Returns null on systems without control groups. */
export function readTables(): GroupTables | null {
  const groups = readGroups()
  const mounts = textOf('/proc/self/mountinfo')
  return groups === null || mounts === null ? null : { groups, mounts }
}

/** Returns the kernel's list of the groups that this process is in. */
export const readGroups = (): string | null => textOf('/proc/self/cgroup')

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

export function hierarchiesIn(tables: GroupTables | null): Hierarchies {
  const found = (controller: Controller): Hierarchy | null =>
    tables === null ? null : hierarchyOf(controller, tables)
  return { memory: found('memory'), pids: found('pids') }
}

interface Mount {
  /** The path of the group that is mounted at `at`. */
  readonly root: string
  readonly at: string
  readonly type: string
  readonly options: readonly string[]
}

function hierarchyOf(controller: Controller, { groups, mounts }: GroupTables): Hierarchy | null {
  const own = groups.split('\n').map(groupLine)
  const mounted = mounts.split('\n').flatMap(mountLine)
  const first = own.find(({ controllers }) => controllers.includes(controller))
  if (first !== undefined) {
    const mount = mounted.find(
      ({ type, options }) => type === 'cgroup' && options.includes(controller),
    )
    return placed(1, mount, first.path)
  }
  const second = own.find(({ id }) => id === '0')
  const mount = mounted.find(({ type }) => type === 'cgroup2')
  const hierarchy = second === undefined ? null : placed(2, mount, second.path)
  return hierarchy !== null && controllersAt(hierarchy.groups[0]).includes(controller)
    ? hierarchy
    : null
}

/** Returns the controllers that are available in a group of version 2. */
const controllersAt = (folder: string): string[] => wordsOf(`${folder}/cgroup.controllers`)

/** Returns the words of a file; an empty list if it cannot be read. */
export const wordsOf = (path: string): string[] => (textOf(path) ?? '').split(/\s+/).filter(Boolean)

function placed(version: 1 | 2, mount: Mount | undefined, path: string): Hierarchy | null {
  // A path with `..` means a group outside of this process's cgroup namespace. Such a group cannot be seen.
  if (mount === undefined || path.includes('/..')) return null
  const root = mount.root === '/' ? '' : mount.root
  if (path !== root && !path.startsWith(`${root}/`)) return null
  const below = path.slice(root.length)
  const own = `${mount.at}${below === '/' ? '' : below}`
  const above: string[] = []
  for (let at = own; at !== mount.at;) {
    at = dirname(at)
    above.push(at)
  }
  return { version, groups: [own, ...above] }
}

function groupLine(line: string): {
  readonly id: string
  readonly controllers: readonly string[]
  readonly path: string
} {
  const [id = '', controllers = '', ...path] = line.split(':')
  return { id, controllers: controllers.split(','), path: path.join(':') }
}

/** Parses a line of the form `ID PARENT DEVICE ROOT AT OPTIONS [TAGS …] - TYPE SOURCE SUPER-OPTIONS`. */
function mountLine(line: string): Mount[] {
  const [before = '', after = ''] = line.split(' - ')
  const [, , , root, at] = before.split(' ')
  const [type, , options] = after.split(' ')
  return root === undefined || at === undefined || type === undefined || options === undefined
    ? []
    : [{ root: unescaped(root), at: unescaped(at), type, options: options.split(',') }]
}

/**
 * Decodes a path of a kernel table. The kernel writes white space and backslashes as a backslash and three octal
 * digits.
 */
const unescaped = (text: string): string =>
  text.replaceAll(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(parseInt(digits, 8)))
