/**
 * Checks whether an object is unchanged since the other side last received it. Every message checks all shared
 * objects, so for arrays and plain objects this only compares their parts and allocates nothing. A part that is an
 * object counts as unchanged if it is the same object: it is checked separately.
 */
const { getPrototypeOf, ownKeys } = Reflect
const { is, isFrozen } = Object
const { isArray } = Array

export interface Content {
  readonly frozen: boolean
  /** For an array, only the number of keys: together with its items this determines everything else. */
  readonly keys: readonly PropertyKey[] | number
  readonly values: readonly unknown[]
}

type Keyed = Readonly<Record<PropertyKey, unknown>>

/** Returns the content, or null for what is neither an array nor a plain object. */
export function contentOf(object: object): Content | null {
  if (isArray(object)) {
    const values: unknown[] = []
    for (let index = 0; index < object.length; index++) values[index] = object[index]
    return { frozen: isFrozen(object), keys: ownKeys(object).length, values }
  }
  const prototype = getPrototypeOf(object)
  if (prototype !== Object.prototype && prototype !== null) return null
  const keys = ownKeys(object)
  const values: unknown[] = []
  for (let index = 0; index < keys.length; index++)
    values[index] = (object as Keyed)[keys[index] as PropertyKey]
  return { frozen: isFrozen(object), keys, values }
}

export function hasContent(object: object, { frozen, keys, values }: Content): boolean {
  if (isFrozen(object) !== frozen) return false
  const now = ownKeys(object)
  if (typeof keys === 'number') {
    const array = object as readonly unknown[]
    if (now.length !== keys || array.length !== values.length) return false
    for (let index = 0; index < values.length; index++)
      if (!is(array[index], values[index])) return false
    return true
  }
  if (now.length !== keys.length) return false
  for (let index = 0; index < now.length; index++) {
    const key = now[index] as PropertyKey
    if (key !== keys[index] || !is((object as Keyed)[key], values[index])) return false
  }
  return true
}
