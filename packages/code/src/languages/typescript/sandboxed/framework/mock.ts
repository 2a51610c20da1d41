/** Mock functions that record their calls, with the interfaces of vitest, jest and `node:test`. */

type Anything = (...args: unknown[]) => unknown

interface Outcome {
  readonly type: 'return' | 'throw'
  readonly value: unknown
}

/** One call, in the format of `node:test`. */
interface Call {
  readonly arguments: unknown[]
  readonly result: unknown
  readonly error: unknown
  readonly this: unknown
  readonly target: unknown
  readonly stack: Error
}

export interface Memory {
  /** In the format of vitest and jest: an entry is the list of arguments. */
  readonly calls: unknown[][]
  readonly results: Outcome[]
  readonly contexts: unknown[]
  readonly instances: unknown[]
}

const memories = new WeakMap<object, Memory>()

/** Returns the recorded calls of a mock function; undefined if it is not a mock. */
export const remembered = (mock: unknown): Memory | undefined =>
  typeof mock === 'function' ? memories.get(mock) : undefined

/** Makes a mock like those of vitest and jest. It is added to `all`, to be reset with the others. */
export function mockFunction(
  implementation?: Anything,
  all?: Set<{ mockReset(): void }>,
): Anything {
  let usual: Anything | undefined = implementation
  let once: Anything[] = []
  let name = 'mock'
  const memory = { calls: [], results: [], contexts: [], instances: [] } as {
    calls: unknown[][]
    results: Outcome[]
    contexts: unknown[]
    instances: unknown[]
  }
  const mock = function (this: unknown, ...args: unknown[]): unknown {
    memory.calls.push(args)
    memory.contexts.push(this)
    memory.instances.push(this)
    const result: { type: 'return' | 'throw'; value: unknown } = {
      type: 'return',
      value: undefined,
    }
    memory.results.push(result)
    try {
      result.value = Reflect.apply(once.shift() ?? usual ?? (() => undefined), this, args)
      return result.value
    } catch (error) {
      result.type = 'throw'
      result.value = error
      throw error
    }
  }
  const clear = (): void => {
    for (const list of [memory.calls, memory.results, memory.contexts, memory.instances])
      list.length = 0
  }
  const chained =
    <Args extends unknown[]>(change: (...args: Args) => void) =>
    (...args: Args): unknown => {
      change(...args)
      return mock
    }
  Object.defineProperty(memory, 'lastCall', { get: () => memory.calls.at(-1) })
  const methods = {
    mock: memory,
    getMockName: () => name,
    getMockImplementation: () => usual,
    mockName: chained((given: string) => {
      name = given
    }),
    mockClear: chained(clear),
    mockReset: chained(() => {
      clear()
      usual = implementation
      once = []
    }),
    mockRestore: chained(() => {
      clear()
      once = []
    }),
    mockImplementation: chained((given: Anything) => {
      usual = given
    }),
    mockImplementationOnce: chained((given: Anything) => void once.push(given)),
    mockReturnValue: chained((value: unknown) => {
      usual = () => value
    }),
    mockReturnValueOnce: chained((value: unknown) => void once.push(() => value)),
    mockReturnThis: chained(() => {
      usual = function (this: unknown) {
        return this
      }
    }),
    mockResolvedValue: chained((value: unknown) => {
      usual = () => Promise.resolve(value)
    }),
    mockResolvedValueOnce: chained(
      (value: unknown) => void once.push(() => Promise.resolve(value)),
    ),
    mockRejectedValue: chained((value: unknown) => {
      usual = () => Promise.reject(value)
    }),
    mockRejectedValueOnce: chained((value: unknown) => void once.push(() => Promise.reject(value))),
    withImplementation(given: Anything, during: () => unknown): unknown {
      const before = usual
      usual = given
      const result = during()
      const back = (): void => {
        usual = before
      }
      if (result instanceof Promise) return result.finally(back)
      back()
      return result
    },
  }
  Object.assign(mock, methods)
  memories.set(mock, memory)
  all?.add(methods)
  return mock
}

/** Replaces a method with a mock that calls it. */
export function spyOn(
  object: Record<string, unknown>,
  key: string,
  all?: Set<{ mockReset(): void }>,
): Anything {
  const original = object[key]
  if (typeof original !== 'function') throw new TypeError(`${key} is not a function`)
  const own = Object.hasOwn(object, key)
  const spy = mockFunction(original as Anything, all)
  const restore = (spy as unknown as { mockRestore: () => unknown }).mockRestore
  Object.assign(spy, {
    mockRestore() {
      restore()
      if (own) object[key] = original
      else delete object[key]
      return spy
    },
  })
  object[key] = spy
  return spy
}

/** Makes a mock like those of `node:test`: `mock.fn(original, implementation)`. */
export function nodeMock(first?: unknown, second?: unknown): Anything {
  const original = typeof first === 'function' ? (first as Anything) : () => undefined
  let usual = typeof second === 'function' ? (second as Anything) : original
  const once = new Map<number, Anything>()
  const calls: Call[] = []
  const memory: Memory = { calls: [], results: [], contexts: [], instances: [] }
  const mock = function (this: unknown, ...args: unknown[]): unknown {
    const chosen = once.get(calls.length) ?? usual
    once.delete(calls.length)
    memory.calls.push(args)
    memory.contexts.push(this)
    let result: unknown
    let error: unknown
    try {
      result = Reflect.apply(chosen, this, args)
      memory.results.push({ type: 'return', value: result })
      return result
    } catch (thrown) {
      error = thrown
      memory.results.push({ type: 'throw', value: thrown })
      throw thrown
    } finally {
      calls.push({
        arguments: args,
        result,
        error,
        this: this,
        target: undefined,
        stack: new Error('call'),
      })
    }
  }
  const control = {
    calls,
    callCount: () => calls.length,
    resetCalls() {
      calls.length = 0
      for (const list of [memory.calls, memory.results, memory.contexts]) list.length = 0
    },
    mockImplementation(given: Anything) {
      usual = given
    },
    mockImplementationOnce: (given: Anything, at = calls.length) => void once.set(at, given),
    restore() {
      usual = original
    },
  }
  Object.defineProperty(mock, 'mock', { value: control })
  memories.set(mock, memory)
  return mock
}
