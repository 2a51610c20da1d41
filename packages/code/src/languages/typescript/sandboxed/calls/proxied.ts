/**
 * The proxy of one live object (an object with behavior) of the other process. It stores the details that came with
 * the object's description, such as a function's name or a class's methods. It requests everything else. All own
 * properties are requested together, and kept until something may have changed them. The object's primitive value is
 * kept in the same way. Otherwise a solution's object could be one number in one comparison and another number in the
 * next.
 */
import type { Operation } from './wire.ts'

const { get, getPrototypeOf, ownKeys } = Reflect
const { isArray } = Array

/** Sends requests about proxies to the other process. */
export interface Remotely {
  epoch: number
  ask(operation: Operation, target: unknown, args: readonly unknown[]): unknown
  isRemote(object: unknown): boolean
}

export type Shape =
  | {
      readonly kind: 'function'
      readonly name: string
      readonly length: number
      readonly constructs: boolean
      readonly prototype: (() => unknown) | null
      readonly parent: (() => unknown) | null
    }
  | {
      readonly kind: 'prototype'
      readonly chain: () => unknown
      readonly methods: () => Map<unknown, unknown>
      readonly others: () => Set<unknown>
      readonly constructor: () => unknown
    }
  | {
      readonly kind: 'object'
      readonly chain: () => unknown
      readonly array: boolean
      readonly shadowing: () => Set<unknown>
    }

interface Known {
  readonly methods: Map<unknown, unknown>
  readonly others: Set<unknown>
  readonly constructor: unknown
}

/** What is known about the prototypes of the other process. */
const prototypes = new WeakMap<object, Known>()

/** Built-in methods of functions. They also work on a proxy, so they are not requested. */
const OF_FUNCTIONS = new Set<unknown>(['call', 'apply', 'bind', 'toString', Symbol.hasInstance])

interface OwnProperty {
  readonly descriptor: PropertyDescriptor
  /** True for a property with a value, false for one with a getter or setter. */
  readonly data: boolean
}

type Own = Map<string | symbol, OwnProperty>

export function proxied(remote: Remotely, shape: Shape): object {
  let known: Known | null = null
  let own: { epoch: number; properties: Own } | null = null
  const primitives = new Map<string, { epoch: number; value: unknown }>()

  const ask = (operation: Operation, ...args: unknown[]): unknown =>
    remote.ask(operation, proxy, args)

  /**
   * Discards the kept values as soon as other code has run here. By then, timers of the other process may have run
   * too and changed the object.
   */
  const untilLater = (): void => queueMicrotask(() => remote.epoch++)

  const chain = (): object | null => {
    if (shape.kind === 'function') {
      const parent: unknown = shape.parent?.()
      return typeof parent === 'function' ? parent : Function.prototype
    }
    const above = shape.chain()
    return typeof above === 'object' ? above : Object.prototype
  }

  const properties = (): Own => {
    if (own?.epoch === remote.epoch) return own.properties
    const found: Own = new Map()
    const list = ask('own')
    if (isArray(list))
      for (const entry of list as unknown[]) {
        if (!isArray(entry)) continue
        const [key, shown, value, data] = entry as unknown[]
        const enumerable = shown === true
        if (typeof key === 'string' || typeof key === 'symbol')
          found.set(key, {
            descriptor: { value, writable: true, enumerable, configurable: true },
            data: data === true,
          })
      }
    own = { epoch: remote.epoch, properties: found }
    untilLater()
    return found
  }

  const toPrimitive = (hint: unknown): unknown => {
    const kind = hint === 'string' || hint === 'number' ? hint : 'default'
    const kept = primitives.get(kind)
    if (kept?.epoch === remote.epoch) return kept.value
    const value = ask('primitive', kind)
    primitives.set(kind, { epoch: remote.epoch, value })
    untilLater()
    return value
  }

  const learn = (): void => {
    if (known !== null || shape.kind !== 'prototype') return
    known = {
      methods: shape.methods(),
      others: shape.others(),
      constructor: shape.constructor(),
    }
    prototypes.set(proxy, known)
  }

  /**
   * Returns a method or constructor that is already known from the parent classes. Undefined means that the other
   * process must be asked for it.
   */
  const inherited = (key: string | symbol): { value: unknown } | undefined => {
    for (let at: object | null = shape.kind === 'prototype' ? proxy : chain(); at !== null;) {
      if (at === Object.prototype) return { value: get(Object.prototype, key) as unknown }
      if (!remote.isRemote(at)) return undefined
      // Reading the prototype also stores its details in `prototypes`. So this line must come before the lookup
      // there.
      const above: object | null = getPrototypeOf(at)
      const here = prototypes.get(at)
      if (here === undefined || here.others.has(key)) return undefined
      if (key === 'constructor') return { value: here.constructor }
      if (here.methods.has(key)) return { value: here.methods.get(key) }
      at = above
    }
    return undefined
  }

  const fromFunction = (key: string | symbol): { value: unknown } | undefined => {
    if (shape.kind !== 'function') return undefined
    if (key === 'name') return { value: shape.name }
    if (key === 'length') return { value: shape.length }
    if (key === 'prototype' && shape.prototype !== null) return { value: shape.prototype() }
    if (OF_FUNCTIONS.has(key)) return { value: get(Function.prototype, key) as unknown }
    return undefined
  }

  const target = ((): object => {
    if (shape.kind !== 'function') return shape.kind === 'object' && shape.array ? [] : {}
    return shape.constructs ? function () {} : () => {}
  })()

  const proxy: object = new Proxy(target, {
    apply: (_, self, args: unknown[]) => ask('apply', self, ...args),
    construct: (_, args: unknown[]) => ask('construct', ...args) as object,
    get(_, key, receiver) {
      const local = fromFunction(key)
      if (local !== undefined) return local.value
      learn()
      const kept = own?.epoch === remote.epoch ? own.properties.get(key) : undefined
      if (kept?.data === true) return kept.descriptor.value as unknown
      if (shape.kind !== 'function') {
        if (key === Symbol.toPrimitive) return toPrimitive
        const covered = shape.kind === 'object' && shape.shadowing().has(key)
        const above = covered ? undefined : inherited(key)
        if (above !== undefined && (above.value !== undefined || shape.kind === 'prototype'))
          return above.value
        // A getter of a class must run on the object that the property is read from. That object may be a copied
        // error instead of a proxy.
        if (receiver !== proxy && remote.isRemote(receiver))
          return remote.ask('get', receiver, [key])
      }
      return ask('get', key)
    },
    set: (_, key, value) => ask('set', key, value) !== false,
    has: (_, key) => fromFunction(key) !== undefined || ask('has', key) === true,
    deleteProperty: (_, key) => ask('delete', key) === true,
    defineProperty: (_, key, wanted) =>
      'value' in wanted && ask('set', key, wanted.value) !== false,
    getPrototypeOf() {
      learn()
      return chain()
    },
    setPrototypeOf: () => false,
    isExtensible: () => true,
    preventExtensions: () => false,
    ownKeys() {
      const keys = new Set<string | symbol>(properties().keys())
      for (const key of ownKeys(target)) keys.add(key)
      return [...keys]
    },
    getOwnPropertyDescriptor(_, key) {
      const found = properties().get(key)?.descriptor
      const here = Reflect.getOwnPropertyDescriptor(target, key)
      if (here?.configurable === false)
        return found === undefined ? here : { ...here, value: found.value }
      return found ?? here
    },
  })
  return proxy
}
