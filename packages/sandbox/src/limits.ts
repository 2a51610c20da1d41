/**
 * Converts a program's limits to arguments of `prlimit`, a command that sets the limits and then executes the
 * program. A process cannot set limits higher than its own: `prlimit` would fail and the program would not start. So
 * each limit is lowered to that of this process.
 */
import { readFileSync } from 'node:fs'
import { MOST_STACK_BYTES, mostThreads, STACK_BYTES } from './profiles.ts'
import type { Limits } from './sandbox.ts'

type Resource = 'as' | 'core' | 'cpu' | 'data' | 'fsize' | 'nofile' | 'nproc' | 'stack'

/** Maps the names of the limits in `/proc/self/limits` to the names that `prlimit` uses. */
const NAMES: Readonly<Record<string, Resource>> = {
  'Max address space': 'as',
  'Max core file size': 'core',
  'Max cpu time': 'cpu',
  'Max data size': 'data',
  'Max file size': 'fsize',
  'Max open files': 'nofile',
  'Max processes': 'nproc',
  'Max stack size': 'stack',
}

/** The highest limit that this process may set for each resource. A resource without an entry has no maximum. */
export type Ceilings = ReadonlyMap<Resource, number>

export function readCeilings(): Ceilings {
  try {
    return parseCeilings(readFileSync('/proc/self/limits', 'utf8'))
  } catch {
    return new Map()
  }
}

export function parseCeilings(text: string): Ceilings {
  const ceilings = new Map<Resource, number>()
  for (const line of text.split('\n')) {
    const [, name = '', hard = ''] = /^(.+?) {2,}\S+ +(\S+)/.exec(line) ?? []
    const resource = NAMES[name]
    if (resource !== undefined && /^\d+$/.test(hard)) ceilings.set(resource, Number(hard))
  }
  return ceilings
}

const written = (limit: number): string => (limit === Infinity ? 'unlimited' : String(limit))

/**
 * Returns the arguments of `prlimit`. `count` says whether the kernel counts the processes of this program
 * separately. Only then can their number be limited.
 */
export function limitArguments(limits: Limits, ceilings: Ceilings, count: boolean): string[] {
  const set = (resource: Resource, soft: number, hard = soft): string => {
    const ceiling = ceilings.get(resource) ?? Number.POSITIVE_INFINITY
    return `--${resource}=${written(Math.min(soft, ceiling))}:${written(Math.min(hard, ceiling))}`
  }
  const seconds = Math.max(1, Math.ceil(limits.cpuMs / 1000))
  return [
    // At the first limit, the program gets SIGXCPU, which shows that it used up its processor time. If it ignores
    // SIGXCPU, the second limit kills it.
    set('cpu', seconds, seconds + 1),
    set('data', limits.memoryBytes),
    set('stack', STACK_BYTES, MOST_STACK_BYTES),
    ...(limits.addressBytes === null ? [] : [set('as', limits.addressBytes)]),
    set('fsize', limits.fileBytes),
    set('nofile', limits.openFiles),
    // The limit on memory dumps (core files) is 1, not 0. Some systems send dumps to a program, and start that
    // program even if the limit is 0. With 1 they do not.
    set('core', 1),
    ...(count
      ? [set('nproc', limits.processes === 'threads' ? mostThreads() : limits.processes)]
      : []),
  ]
}
