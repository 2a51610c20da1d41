/**
 * Decides which objects are plain data, which is copied to the other process. Also creates the empty objects for
 * received copies. Whatever the other process claims, these are made from built-in classes of this process.
 */
import { types } from '../builtins.ts'
import { bytesClasses, bytesNames, errorClasses, Violation, type Node } from './wire.ts'

const { getOwnPropertyDescriptor, getPrototypeOf, ownKeys } = Reflect
const { create } = Object
const { isArray } = Array

/**
 * The kinds of nodes (descriptions) whose objects are copied. All other kinds describe live objects: objects with
 * behavior, which are not copied.
 */
export const COPIED: ReadonlySet<string> = new Set(
  'array sparse plain bare map set date regexp boxed bytes error'.split(' '),
)

/**
 * True if the object is plain data and can be copied. It cannot be copied if it has accessors, non-enumerable
 * properties or functions.
 */
export function isPlainData(object: object): boolean {
  if (typeof object === 'function' || types.isProxy(object)) return false
  const prototype = getPrototypeOf(object)
  if (isArray(object)) return prototype === Array.prototype
  if (types.isNativeError(object)) return true
  if (prototype === null || prototype === Object.prototype) {
    if (types.isModuleNamespaceObject(object)) return false
    for (const key of ownKeys(object)) {
      const found = getOwnPropertyDescriptor(object, key)
      if (found === undefined || !found.enumerable || !('value' in found)) return false
      if (typeof found.value === 'function') return false
    }
    return true
  }
  switch (prototype) {
    case Map.prototype:
      return types.isMap(object) && ownKeys(object).length === 0
    case Set.prototype:
      return types.isSet(object) && ownKeys(object).length === 0
    case Date.prototype:
      return types.isDate(object) && ownKeys(object).length === 0
    case RegExp.prototype:
      return types.isRegExp(object) && ownKeys(object).length === 1
    case Number.prototype:
    case String.prototype:
    case Boolean.prototype:
      return types.isBoxedPrimitive(object)
    default:
      return (
        bytesNames.has(prototype) &&
        (types.isArrayBufferView(object) || types.isArrayBuffer(object))
      )
  }
}

/**
 * Returns a new empty object for the node (description) of a copied object. Null if the node describes a live object,
 * which is not copied.
 */
export function shell(node: Node): object | null {
  const [kind, first, second] = node
  switch (kind) {
    case 'array':
    case 'sparse':
      return []
    case 'plain':
      return {}
    case 'bare':
      return create(null) as object
    case 'map':
      return new Map()
    case 'set':
      return new Set()
    case 'date':
      return new Date(Number.NaN)
    case 'regexp':
      try {
        return new RegExp(String(first), String(second))
      } catch {
        throw new Violation('sent no regular expression')
      }
    case 'boxed':
      return Object(isArray(first) ? null : first) as object
    case 'bytes':
      return bytesShell(String(first), String(second))
    case 'error':
      return errorShell(String(first), String(second))
    default:
      return null
  }
}

function errorShell(name: string, message: string): Error {
  if (name === 'AggregateError') return new AggregateError([], message)
  return new (errorClasses.get(name) ?? Error)(message)
}

function bytesShell(name: string, text: string): object {
  const bytes = Buffer.from(text, 'base64')
  if (name === 'Buffer') return Buffer.alloc(bytes.length)
  const buffer = new ArrayBuffer(bytes.length)
  if (name === 'ArrayBuffer') return buffer
  if (name === 'DataView') return new DataView(buffer)
  const type = bytesClasses.get(name)
  if (type === undefined) throw new Violation('sent no bytes')
  try {
    return new type(buffer)
  } catch {
    throw new Violation('sent no bytes')
  }
}

const viewed = (object: object): Uint8Array => {
  if (types.isAnyArrayBuffer(object)) return new Uint8Array(object)
  if (!ArrayBuffer.isView(object)) throw new Violation('changed the kind of an object')
  return new Uint8Array(object.buffer, object.byteOffset, object.byteLength)
}

export function base64(object: object): string {
  const view = viewed(object)
  return Buffer.from(view.buffer, view.byteOffset, view.byteLength).toString('base64')
}

export function fillBytes(object: object, text: string): number {
  const bytes = Buffer.from(text, 'base64')
  const view = viewed(object)
  if (bytes.length === view.length) view.set(bytes)
  return view.length + 1
}

export function pairs(value: unknown): (readonly [unknown, unknown])[] {
  if (!isArray(value)) throw new Violation('sent no entries')
  return value.map((entry: unknown) => {
    if (!isArray(entry)) throw new Violation('sent no entry')
    return [entry[0], entry[1]] as const
  })
}

export function lengthOf(value: unknown): number {
  if (typeof value !== 'number' || !(value >= 0 && value < 2 ** 32))
    throw new Violation('sent no length')
  return value
}
