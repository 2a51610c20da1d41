/**
 * Tests that a case gives as data, not as source. Each test calls the entry point (the function under test) and
 * compares the result with the expected value.
 */
import type { Call } from '@assay/contract'
import type { Solution } from './evaluate.ts'
import { equals } from './framework/equal.ts'
import { explained, shown } from './framework/shown.ts'
import type { Report } from './framework/suite.ts'

interface Calls {
  readonly entryPoint: string
  readonly calls: readonly Call[]
}

/** Returns a unique test name for each call, written like source code. */
export function namesOfCalls({ entryPoint, calls }: Calls): string[] {
  const seen = new Map<string, number>()
  return calls.map(({ args }) => {
    const name = `${entryPoint}(${args.map(shown).join(', ')})`
    const count = (seen.get(name) ?? 0) + 1
    seen.set(name, count)
    return count === 1 ? name : `${name} (${count})`
  })
}

export async function checkCalls(
  { entryPoint, calls }: Calls,
  solution: Solution,
  report: Report,
  lost: () => string | null,
  ending: Promise<never>,
): Promise<void> {
  const { namespace } = solution.module('./solution')
  for (const [index, call] of calls.entries()) {
    let message = lost()
    if (message === null)
      try {
        const entry = namespace[entryPoint] ?? namespace['default']
        message =
          typeof entry === 'function'
            ? await Promise.race([fault(entry as (...args: unknown[]) => unknown, call), ending])
            : `the solution has no function ${entryPoint}`
      } catch (error) {
        message = explained(error)
      }
    message ??= lost()
    report(index, message === null, ...(message === null ? [] : [message]))
  }
}

/** Calls the function under test. Returns what is wrong with the result, or null if it is as expected. */
async function fault(entry: (...args: unknown[]) => unknown, call: Call): Promise<string | null> {
  let value: unknown
  try {
    value = await entry(...structuredClone(call.args as unknown[]))
  } catch (error) {
    if (call.throws === undefined) return explained(error)
    return isNamed(error, call.throws)
      ? null
      : `expected ${call.throws} to be thrown, got ${explained(error)}`
  }
  if (call.throws !== undefined) return `expected ${call.throws} to be thrown, got ${shown(value)}`
  if (call.returns === undefined) return null
  const right = equals(value, call.returns, { tolerance: call.tolerance ?? 0 })
  return right ? null : `expected ${shown(call.returns)}, got ${shown(value)}`
}

/** True if the error has this name, or if its class or one of the parent classes has it. */
function isNamed(error: unknown, name: string): boolean {
  if (!(error instanceof Error)) return false
  if (error.name === name) return true
  for (let at: object | null = error; at !== null; at = Reflect.getPrototypeOf(at))
    if ((at as { constructor?: { name?: unknown } }).constructor?.name === name) return true
  return false
}
