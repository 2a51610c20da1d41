/** The processes of the suites with functions that were loaded, one for each file. */
import path from 'node:path'
import type { FunctionHost } from '@assay/contract'
import { openProcessHost, type Loaded } from './process-host.ts'

const hosts = new Map<string, Promise<Loaded>>()

/** Loads a file once, however often its suite is read. */
export function openFunctions(file: string): Promise<Loaded> {
  const place = path.resolve(file)
  let opening = hosts.get(place)
  if (opening === undefined) hosts.set(place, (opening = openProcessHost(file)))
  return opening
}

/** Forgets the loaded files, so that they are loaded again if they have changed. */
export async function forgetFunctions(): Promise<void> {
  const all = [...hosts.values()]
  hosts.clear()
  for (const opening of all) {
    const loaded = await opening
    if (loaded.kind === 'functions') await (loaded.host satisfies FunctionHost).close()
  }
}
