/** Checks whether a value is plain JSON data. */
import type { Json } from '@assay/contract'

const DEEPEST = 200

function isTable(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** Whether a value consists only of JSON types. The depth is limited, so a cyclic value returns false. */
export function isJson(value: unknown, depth = 0): value is Json {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true
    case 'number':
      return Number.isFinite(value)
    case 'object': {
      if (value === null) return true
      if (depth > DEEPEST) return false
      const isPlain = Array.isArray(value) || isTable(value)
      return isPlain && Object.values(value).every((inner) => isJson(inner, depth + 1))
    }
    default:
      return false
  }
}
