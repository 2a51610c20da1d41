/**
 * Checks whether an object has changed since it was last sent to the other process. All watched objects are checked
 * before every message, so the check must be cheap. For an array or plain object, it only compares the values and
 * allocates nothing. If a value is an object itself, only its identity is compared, because its content is checked
 * separately.
 */
const { getPrototypeOf, ownKeys } = Reflect
const { is, isFrozen } = Object
const { isArray } = Array

export interface Content {
  readonly frozen: boolean
  /**
   * The keys of the object. For an array, only the number of keys, because the number and the items determine all
   * keys.
   */
  readonly keys: readonly PropertyKey[] | number
  readonly values: readonly unknown[]
}

type Keyed = Readonly<Record<PropertyKey, unknown>>

/** Returns the content of an array or plain object, or null for any other object. */
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
