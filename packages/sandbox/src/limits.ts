/**
 * A program's limits as arguments of `prlimit`, which sets them and then becomes the program. Nobody may
 * raise a limit above the one that this process was given, and asking for it is an error that would keep
 * the program from starting; so what is asked for is never more than that.
 */
import { readFileSync } from 'node:fs'
import { MOST_STACK_BYTES, mostThreads, STACK_BYTES } from './profiles.ts'
import type { Limits } from './sandbox.ts'

type Resource = 'as' | 'core' | 'cpu' | 'data' | 'fsize' | 'nofile' | 'nproc' | 'stack'

/** As `/proc/self/limits` calls them. */
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

/** The most that may be asked for; without an entry, anything. */
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

/** `count`: processes are counted for this program alone, so that a limit on their number makes sense. */
export function limitArguments(limits: Limits, ceilings: Ceilings, count: boolean): string[] {
  const set = (resource: Resource, soft: number, hard = soft): string => {
    const ceiling = ceilings.get(resource) ?? Number.POSITIVE_INFINITY
    return `--${resource}=${written(Math.min(soft, ceiling))}:${written(Math.min(hard, ceiling))}`
  }
  const seconds = Math.max(1, Math.ceil(limits.cpuMs / 1000))
  return [
    // The first one tells why it ends, in a signal of its own; whoever ignores that is killed at the second.
    set('cpu', seconds, seconds + 1),
    set('data', limits.memoryBytes),
    set('stack', STACK_BYTES, MOST_STACK_BYTES),
    ...(limits.addressBytes === null ? [] : [set('as', limits.addressBytes)]),
    set('fsize', limits.fileBytes),
    set('nofile', limits.openFiles),
    // Not 0: with that, a system whose memory dumps go to a program still starts it. 1 means never.
    set('core', 1),
    ...(count
      ? [set('nproc', limits.processes === 'threads' ? mostThreads() : limits.processes)]
      : []),
  ]
}
