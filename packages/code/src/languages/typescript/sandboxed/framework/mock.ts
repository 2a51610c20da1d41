/** Mock functions, which record their calls, with the interfaces of vitest and jest. */

type Anything = (...args: unknown[]) => unknown

interface Outcome {
  readonly type: 'return' | 'throw'
  readonly value: unknown
}

export interface Memory {
  /** The arguments of each call, in the format of vitest and jest. */
  readonly calls: unknown[][]
  readonly results: Outcome[]
  readonly contexts: unknown[]
  readonly instances: unknown[]
  /** For each call, its position among the calls of all mocks. */
  readonly invocationCallOrder: number[]
}

export const emptyMemory = (): Memory => ({
  calls: [],
  results: [],
  contexts: [],
  instances: [],
  invocationCallOrder: [],
})

const memories = new WeakMap<object, Memory>()

export const remember = (mock: object, memory: Memory): void => void memories.set(mock, memory)

let order = 0

/** Returns the recorded calls of a mock function; undefined if it is not a mock. */
export const remembered = (mock: unknown): Memory | undefined =>
  typeof mock === 'function' ? memories.get(mock) : undefined

/** All mocks of a test file. A test can reset them together. */
export interface Mocks {
  readonly all: Set<Record<string, unknown>>
  /**
   * What a mock does after a reset. True: it returns undefined, as in jest. False: it calls its original
   * implementation again, as in vitest.
   */
  readonly forgets: boolean
}

export const noMocks = (): Mocks => ({ all: new Set(), forgets: false })

/** Creates a mock function with the interface of vitest and jest. */
export function mockFunction(implementation?: Anything, { all, forgets } = noMocks()): Anything {
  let usual: Anything | undefined = implementation
  let once: Anything[] = []
  let name = 'vi.fn()'
  const memory = emptyMemory()
  const mock = function (this: unknown, ...args: unknown[]): unknown {
    memory.calls.push(args)
    memory.contexts.push(this)
    memory.instances.push(this)
    memory.invocationCallOrder.push(++order)
    const result: { type: 'return' | 'throw'; value: unknown } = {
      type: 'return',
      value: undefined,
    }
    memory.results.push(result)
    try {
      const chosen = once.shift() ?? usual ?? (() => undefined)
      result.value =
        new.target === undefined || !constructs(chosen)
          ? Reflect.apply(chosen, this, args)
          : Reflect.construct(chosen, args, new.target)
      return result.value
    } catch (error) {
      result.type = 'throw'
      result.value = error
      throw error
    }
  }
  const clear = (): void => {
    for (const list of Object.values(memory) as unknown[][]) list.length = 0
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
      usual = forgets ? undefined : implementation
      once = []
    }),
    mockRestore: chained(() => {
      clear()
      usual = forgets ? undefined : implementation
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
    mockThrow: chained((error: unknown) => {
      usual = () => {
        throw error
      }
    }),
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
  Object.defineProperty(mock, 'length', { value: implementation?.length ?? 0 })
  if (implementation !== undefined)
    Object.defineProperty(mock, 'name', { value: implementation.name })
  memories.set(mock, memory)
  all.add(mock as unknown as Record<string, unknown>)
  return mock
}

/** True for a class or a plain function, which can be called with `new`. */
const constructs = (one: Anything): boolean =>
  typeof (one as { prototype?: unknown }).prototype === 'object'

type Keyed = Record<PropertyKey, unknown>

/** Replaces a method by a mock that calls the original. With `access`, replaces a getter or setter instead. */
export function spyOn(
  object: Keyed,
  key: PropertyKey,
  mocks: Mocks,
  access?: 'get' | 'set',
): Anything {
  const found = access === undefined ? undefined : descriptorOf(object, key)
  const original = access === undefined ? object[key] : found?.[access]
  if (remembered(original) !== undefined) return original as Anything
  if (typeof original !== 'function') throw new TypeError(`${String(key)} is not a function`)
  const own = Object.hasOwn(object, key)
  const spy = mockFunction(original as Anything, { ...mocks, forgets: false })
  const control = spy as unknown as Record<string, () => unknown>
  const { mockRestore: reset, mockReset: again } = control
  const forget = (): void => {
    if (mocks.forgets) Reflect.apply(control['mockReturnValue'] as () => unknown, spy, [undefined])
  }
  const put = (value: unknown): void => {
    if (access === undefined) object[key] = value
    else
      Object.defineProperty(object, key, {
        ...found,
        configurable: true,
        [access]: value as () => unknown,
      })
  }
  Object.assign(spy, {
    mockReset() {
      again?.()
      forget()
      return spy
    },
    mockRestore() {
      reset?.()
      if (own) put(original)
      else Reflect.deleteProperty(object, key)
      return spy
    },
  })
  put(spy)
  return spy
}

function descriptorOf(object: object, key: PropertyKey): PropertyDescriptor | undefined {
  for (let at: object | null = object; at !== null; at = Reflect.getPrototypeOf(at)) {
    const found = Reflect.getOwnPropertyDescriptor(at, key)
    if (found !== undefined) return found
  }
  return undefined
}
