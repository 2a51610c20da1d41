/** The processes that run the functions of the loaded suites. There is one process for each suite file. */
import path from 'node:path'
import type { FunctionHost } from '@assay/contract'
import { openProcessHost, type Loaded } from './process-host.ts'

const hosts = new Map<string, Promise<Loaded>>()

/** Loads a file with functions. The file is loaded only once, even if its suite is read several times. */
export function openFunctions(file: string): Promise<Loaded> {
  const place = path.resolve(file)
  let opening = hosts.get(place)
  if (opening === undefined) hosts.set(place, (opening = openProcessHost(file)))
  return opening
}

/** Closes the loaded files. The next read of a suite loads its file again, and so sees changes in it. */
export async function forgetFunctions(): Promise<void> {
  const all = [...hosts.values()]
  hosts.clear()
  for (const opening of all) {
    const loaded = await opening
    if (loaded.kind === 'functions') await (loaded.host satisfies FunctionHost).close()
  }
}
