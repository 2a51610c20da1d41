/** The mocks of `node:test`: `mock.fn`, `mock.method`, `mock.getter`, `mock.timers` and others. */
import type { Clock } from './clock.ts'
import { emptyMemory, remember } from './mock.ts'
import { Refused, refusing } from './refused.ts'

type Anything = (...args: unknown[]) => unknown

/** A recorded call, in the format of `node:test`. */
interface Call {
  readonly arguments: unknown[]
  readonly result: unknown
  readonly error: unknown
  readonly this: unknown
  readonly target: unknown
  readonly stack: Error
}

/** Creates a mock function: `mock.fn(original, implementation, options)`. */
function nodeMock(first?: unknown, second?: unknown, third?: unknown): Anything {
  const options = [first, second, third].find((one) => typeof one === 'object' && one !== null)
  const { times = Infinity } = (options ?? {}) as { times?: number }
  const original = typeof first === 'function' ? (first as Anything) : () => undefined
  let usual = typeof second === 'function' ? (second as Anything) : original
  const once = new Map<number, Anything>()
  const calls: Call[] = []
  const memory = emptyMemory()
  const mock = function (this: unknown, ...args: unknown[]): unknown {
    const chosen = once.get(calls.length) ?? (calls.length < times ? usual : original)
    once.delete(calls.length)
    memory.calls.push(args)
    memory.contexts.push(this)
    let result: unknown
    let error: unknown
    try {
      const isNew = new.target !== undefined && 'prototype' in chosen
      result = isNew ? Reflect.construct(chosen, args, chosen) : Reflect.apply(chosen, this, args)
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
      for (const list of Object.values(memory) as unknown[][]) list.length = 0
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
  remember(mock, memory)
  return mock
}

type Keyed = Record<PropertyKey, unknown>

/** Creates a `mock` object of `node:test`. The mocks that it makes are restored together. */
export function nodeMocks(clock: () => Clock): object {
  const restores: (() => void)[] = []
  const controls: Record<string, unknown>[] = []
  const controlOf = (made: Anything): Record<string, unknown> =>
    (made as unknown as { mock: Record<string, unknown> }).mock
  const tracked = (made: Anything, restore: () => void): Anything => {
    const control = controlOf(made)
    control['restore'] = restore
    restores.push(restore)
    controls.push(control)
    return made
  }
  const method = (
    object: Keyed,
    key: PropertyKey,
    implementation?: unknown,
    more?: unknown,
  ): Anything => {
    const options = [implementation, more].find((one) => typeof one === 'object' && one !== null)
    const { getter, setter } = (options ?? {}) as { getter?: boolean; setter?: boolean }
    const access = getter === true ? 'get' : setter === true ? 'set' : null
    const owner = ownerOf(object, key)
    const found = owner === null ? undefined : Reflect.getOwnPropertyDescriptor(owner, key)
    const original: unknown = access === null ? object[key] : found?.[access]
    if (typeof original !== 'function') throw new TypeError(`${String(key)} is not a function`)
    const made = nodeMock(original, implementation, options)
    const own = owner === object
    const put = (value: unknown): void => {
      if (access === null) object[key] = value
      else Object.defineProperty(object, key, { ...found, configurable: true, [access]: value })
    }
    put(made)
    return tracked(made, () => {
      if (own) put(original)
      else Reflect.deleteProperty(object, key)
    })
  }
  const restoreAll = (): void => {
    for (const one of restores.splice(0)) one()
  }
  const timers = {
    enable: (options?: { apis?: readonly string[]; now?: number | Date }) =>
      clock().use({ now: Number(options?.now ?? 0), only: options?.apis }),
    tick: (ms = 1) => clock().jump(ms),
    reset: () => clock().restore(),
    runAll: () => clock().jumpToLast(),
    setTime: (now: number) => clock().set(now),
    [Symbol.dispose]: () => clock().restore(),
  }
  return refusing(
    {
      fn: (...given: unknown[]) => {
        const made = nodeMock(...given)
        controls.push(controlOf(made))
        return made
      },
      method,
      getter: (object: Keyed, key: PropertyKey, implementation?: unknown) =>
        method(object, key, implementation, { getter: true }),
      setter: (object: Keyed, key: PropertyKey, implementation?: unknown) =>
        method(object, key, implementation, { setter: true }),
      reset: restoreAll,
      restoreAll,
      timers: refusing(timers, 'mock.timers'),
      module: () => {
        throw new Refused('mock.module')
      },
    },
    'mock',
  )
}

function ownerOf(object: object, key: PropertyKey): object | null {
  for (let at: object | null = object; at !== null; at = Reflect.getPrototypeOf(at))
    if (Object.hasOwn(at, key)) return at
  return null
}
