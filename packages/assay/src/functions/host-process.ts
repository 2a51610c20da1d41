/**
 * The program of the process in which a suite's functions run. Its argument is the URL of the suite's file. It loads
 * the file, sends a description of the suite to Assay, and then calls functions when Assay asks for it. It is a
 * separate process for two reasons. Assay's own memory contains API keys, which the functions must not read. And a
 * function that never ends can be stopped only with its process.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FunctionReply } from '@assay/contract'
import { hasFunctions } from '../documents/index.ts'
import { readProjectModules } from '../pool/index.ts'
import { partsOf, type SuiteParts } from './describe.ts'
import { keepPrinted, runFunction, stackOf } from './run-function.ts'
import type { HostMessage, HostRequest } from './process-host.ts'

const [, , address = ''] = process.argv

/**
 * The hashes of the project's files that were loaded, by path. If one of these files changes, the functions have
 * changed.
 */
const loaded = new Map<string, string>()

registerHooks({
  resolve(specifier, context, next) {
    try {
      return next(specifier, context)
    } catch (error) {
      // If Assay is installed globally, the project has no package named `assay`. Then the import gets the installed
      // Assay.
      if (specifier !== 'assay') throw error
      return { url: new URL(`../index${ENDING}`, import.meta.url).href, shortCircuit: true }
    }
  },
  load(url, context, next) {
    if (url.startsWith('file:') && !url.includes('/node_modules/')) keepFile(url)
    return next(url, context)
  },
})

readProjectModules()

const ENDING = extname(import.meta.url)
const OWN = new URL('..', import.meta.url).href

function keepFile(url: string): void {
  if (url.startsWith(OWN)) return
  try {
    const file = fileURLToPath(url)
    loaded.set(file, createHash('sha256').update(readFileSync(file)).digest('hex'))
  } catch {
    // The file cannot be read. Node's loader reports that error when it opens the file.
  }
}

// Text that a function prints is kept with its call. All other printed text goes to standard error, which the user
// sees.
const printError = process.stderr.write.bind(process.stderr)
for (const stream of [process.stdout, process.stderr])
  stream.write = (chunk: Uint8Array | string, ...rest: unknown[]): boolean => {
    const text = typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString()
    if (!keepPrinted(text)) printError(text)
    const done = rest.find((one) => typeof one === 'function') as (() => void) | undefined
    if (done !== undefined) process.nextTick(done)
    return true
  }

const say = (message: HostMessage): void => void process.send?.(message)

const calls = new Map<number, AbortController>()
let parts: SuiteParts | null = null

async function perform(request: HostRequest): Promise<void> {
  if (request.kind === 'env') {
    Object.assign(process.env, request.variables)
    return
  }
  if (request.kind === 'abort') {
    calls.get(request.id)?.abort(new Error('the trial was stopped'))
    return
  }
  const stop = new AbortController()
  calls.set(request.id, stop)
  const reply: FunctionReply = await runFunction(parts as SuiteParts, request.call, stop.signal)
  calls.delete(request.id)
  say({ kind: 'reply', id: request.id, reply })
}

process.on('message', (request: HostRequest) => void perform(request))
process.on('disconnect', () => process.exit())
// An error that no call waits for is only printed. It must not end the process, because other calls run in it.
process.on('unhandledRejection', (error) => printError(`${stackOf(error)}\n`))

try {
  const module = (await import(address)) as { readonly default?: unknown }
  const exported: unknown =
    typeof module.default === 'function'
      ? await (module.default as () => unknown)()
      : module.default
  if (!hasFunctions(exported)) say({ kind: 'data' })
  else {
    parts = await partsOf(exported)
    say({ kind: 'ready', description: parts.description, files: Object.fromEntries(loaded) })
  }
} catch (error) {
  say({ kind: 'failed', reason: stackOf(error), files: Object.fromEntries(loaded) })
}
