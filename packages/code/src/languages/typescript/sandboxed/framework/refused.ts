/**
 * Errors for features of test libraries that Assay does not have. Most are found when the test file is prepared. Some
 * uses appear only when the tests run. They throw `Refused`, with the same message.
 */
export const refusal = (what: string): string => `the tests use ${what}, which Assay does not have`

export class Refused extends Error {
  override readonly name = 'Refused'

  constructor(what: string) {
    super(refusal(what))
  }
}

/** Properties that JavaScript, or code that inspects values, may read from any object. Reading them must not throw. */
const ASKED = new Set<PropertyKey>([
  'then',
  'toJSON',
  'constructor',
  'prototype',
  'asymmetricMatch',
  'length',
  'name',
  '__esModule',
  'inspect',
  'should',
])

/**
 * Returns a proxy of the object. Reading a property that does not exist throws `Refused`, instead of returning
 * undefined.
 */
export function refusing<T extends object>(object: T, name: string): T {
  return new Proxy(object, {
    get(target, key, receiver) {
      if (key in target || typeof key === 'symbol' || ASKED.has(key))
        return Reflect.get(target, key, receiver) as unknown
      throw new Refused(`${name}.${key}`)
    },
  })
}
