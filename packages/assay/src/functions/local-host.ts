/** Functions of a suite object, called in this process. What they print is kept with their calls, and printed as well. */
import type { FunctionHost } from '@assay/contract'
import { partsOf } from './describe.ts'
import { keepPrinted, runFunction } from './run-function.ts'

export async function localHost(definition: Record<string, unknown>): Promise<FunctionHost> {
  const parts = await partsOf(definition)
  return {
    description: parts.description,
    files: {},
    give: () => {},
    call: async (call, signal) => {
      signal.throwIfAborted()
      const release = listenToPrinting()
      try {
        // Each call gets its own copy of the input, as it would in another process.
        return await runFunction(parts, structuredClone(call), signal)
      } finally {
        release()
      }
    },
    close: async () => {},
    toJSON: () => undefined,
  }
}

let listeners = 0
let restore: (() => void) | null = null

/** Listens to standard output and error while calls are under way. */
function listenToPrinting(): () => void {
  if (listeners++ === 0) {
    const ends = [process.stdout, process.stderr].map((stream) => {
      const original = stream.write.bind(stream) as (...words: unknown[]) => boolean
      const before = Object.getOwnPropertyDescriptor(stream, 'write')
      stream.write = (...words: unknown[]): boolean => {
        const [chunk] = words
        keepPrinted(typeof chunk === 'string' ? chunk : Buffer.from(chunk as Uint8Array).toString())
        return original(...words)
      }
      return () => {
        if (before === undefined) Reflect.deleteProperty(stream, 'write')
        else Object.defineProperty(stream, 'write', before)
      }
    })
    restore = () => {
      for (const end of ends) end()
    }
  }
  return () => {
    if (--listeners === 0) restore?.()
  }
}
