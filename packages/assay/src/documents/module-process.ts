/**
 * The program of a separate process. It loads a suite or experiment that is written as a module, and prints the
 * module's default export as data. The module does not run in Assay's own process, because the memory of that process
 * holds API keys. The arguments are the URL of the file, and `call` if an exported function is to be called.
 */
import { hasFunctions } from './has-functions.ts'
import { plainJson } from './plain-value.ts'
import { readProjectModules } from '../pool/index.ts'
import type { ModuleReply } from './module.ts'

const [, , address = '', how] = process.argv

// Text that the module prints must not mix with the reply. So it goes to standard error, where the user can still see
// it.
const print = process.stdout.write.bind(process.stdout)
process.stdout.write = process.stderr.write.bind(process.stderr)
// A timer keeps this process alive while a module waits, possibly forever. The process ends when its caller kills it or
// when the caller has ended.
const caller = process.ppid
setInterval(() => {
  if (process.ppid !== caller) process.exit()
}, 1000)

const replyWith = (exported: unknown): ModuleReply =>
  hasFunctions(exported) ? { kind: 'functions' } : { kind: 'value', ...plainJson(exported) }

readProjectModules()

async function replyOf(): Promise<ModuleReply> {
  try {
    const loaded: unknown = await import(address)
    const exported: unknown =
      typeof loaded === 'object' && loaded !== null && 'default' in loaded
        ? loaded.default
        : undefined
    if (exported === undefined) return { kind: 'nothing' }
    if (typeof exported !== 'function') return replyWith(exported)
    if (how !== 'call') return { kind: 'function' }
    return replyWith(await (exported as () => unknown)())
  } catch (error) {
    return { kind: 'failed', reason: error instanceof Error ? error.message : String(error) }
  }
}

const reply = JSON.stringify(await replyOf())
print(`\n${reply}\n`, () => process.exit())
