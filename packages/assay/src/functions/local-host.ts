/**
 * Calls the functions of a suite object in this process. What a function prints is printed and also kept with its call.
 */
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
        // Each call gets its own copy of the input, so that a function cannot change the input of other calls.
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

/**
 * Starts to collect what is printed to standard output and error. The returned function ends this after the last call.
 */
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
