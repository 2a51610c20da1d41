/**
 * Saves JavaScript's built-in objects and restores them after a solution has changed them. Only properties that
 * existed at the start are restored. Properties that a solution adds are kept, so that polyfills (added standard
 * functions) work.
 */

const { defineProperty, getOwnPropertyDescriptor, ownKeys } = Reflect
const { is } = Object

const HOLDERS: readonly object[] = [
  Object,
  Array,
  String,
  Number,
  Map,
  Set,
  Promise,
  Reflect,
  JSON,
  Math,
  Symbol,
  Date,
  RegExp,
  Error,
  globalThis,
].flatMap((one) => ('prototype' in one ? [one, (one as { prototype: object }).prototype] : [one]))

const SKIPPED = new Set<unknown>([
  'Date',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'clearTimeout',
  'clearInterval',
  'clearImmediate',
  'now',
])

export function keepIntrinsics(): () => void {
  const kept: (readonly [object, string | symbol, PropertyDescriptor])[] = []
  for (const holder of HOLDERS)
    for (const key of ownKeys(holder)) {
      const found = getOwnPropertyDescriptor(holder, key)
      // Skip accessors: Node defines lazy globals as accessors, and reading them would load their modules.
      if (
        found !== undefined &&
        'value' in found &&
        typeof found.value === 'function' &&
        !SKIPPED.has(key)
      )
        kept.push([holder, key, found])
    }
  return () => {
    for (let index = 0; index < kept.length; index++) {
      const [holder, key, was] = kept[index] as readonly [
        object,
        string | symbol,
        PropertyDescriptor,
      ]
      const now = getOwnPropertyDescriptor(holder, key)
      if (now === undefined || !is(now.value, was.value)) defineProperty(holder, key, was)
    }
  }
}
