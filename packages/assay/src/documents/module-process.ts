/**
 * The program of a process that loads a suite or experiment which is a module, and prints its default export
 * as data. The module runs there and not in Assay's own process, whose memory holds keys.
 * Arguments: the file's address, and `call` where an exported function is to be called.
 */
import { plainJson } from './plain-value.ts'
import type { ModuleReply } from './module.ts'

const [, , address = '', how] = process.argv

// What the module prints must not mix with the reply; a person may want to see it.
const print = process.stdout.write.bind(process.stdout)
process.stdout.write = process.stderr.write.bind(process.stderr)
// Also a module that waits for ever waits until its caller has had enough, or is gone.
const caller = process.ppid
setInterval(() => {
  if (process.ppid !== caller) process.exit()
}, 1000)

async function replyOf(): Promise<ModuleReply> {
  try {
    const loaded: unknown = await import(address)
    const exported: unknown =
      typeof loaded === 'object' && loaded !== null && 'default' in loaded
        ? loaded.default
        : undefined
    if (exported === undefined) return { kind: 'nothing' }
    if (typeof exported !== 'function') return { kind: 'value', ...plainJson(exported) }
    if (how !== 'call') return { kind: 'function' }
    return { kind: 'value', ...plainJson(await (exported as () => unknown)()) }
  } catch (error) {
    return { kind: 'failed', reason: error instanceof Error ? error.message : String(error) }
  }
}

const reply = JSON.stringify(await replyOf())
print(`\n${reply}\n`, () => process.exit())
