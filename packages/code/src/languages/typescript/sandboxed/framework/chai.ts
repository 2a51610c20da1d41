/**
 * Loads the original assertion library chai, for tests that use it. Chai is a file next to the program and is read
 * only if tests need it. Each test file gets a separate copy, so that a chai plugin of one test file does not affect
 * another.
 *
 * In the solution's process, chai is loaded before the solution, and each assertion first restores the built-ins that
 * the solution may have changed.
 */

type Anything = (...args: unknown[]) => unknown

export interface Chai extends Record<string, unknown> {
  readonly expect: Anything
  readonly should: Anything
  readonly assert: Anything
  readonly Assertion: { readonly prototype: Prototype }
}

/**
 * The prototype of chai's assertions. Some words, such as `include`, are both a property and a method. Its property
 * `__methods` contains the functions of these methods.
 */
type Prototype = Readonly<Record<string, unknown>>

/** The words that may follow `expect(x)` in chai, such as `to`, `be` and `equal`. */
export const CHAI_WORDS: ReadonlySet<string> = new Set(
  `to be been is and has have with that which at of same but does still also not deep nested own ordered any all
   an a include contain contains includes ok true numeric callable false null undefined NaN exist exists empty
   arguments Arguments equal equals eq eql eqls above gt greaterThan least gte greaterThanOrEqual below lt lessThan
   most lte lessThanOrEqual within instanceof instanceOf property ownProperty haveOwnProperty ownPropertyDescriptor
   haveOwnPropertyDescriptor length lengthOf match matches string keys key throw throws Throw respondTo respondsTo
   itself satisfy satisfies closeTo approximately members iterable oneOf change changes increase increases decrease
   decreases by extensible sealed frozen finite containSubset`
    .split(/\s+/)
    .filter((word) => word !== ''),
)

let script: (() => Chai) | null = null

/** Loads a new copy of chai. `before` is called before each assertion, and `asserted` once for each assertion. */
export function loadChai(before: () => void, asserted: () => void): Chai {
  script ??= compiled()
  const chai = script()
  guard(chai, before, asserted)
  return chai
}

function compiled(): () => Chai {
  const { readFileSync } = process.getBuiltinModule('node:fs')
  const path = process.getBuiltinModule('node:path')
  const { Script } = process.getBuiltinModule('node:vm')
  const filename = path.join(path.dirname(process.argv[1] ?? ''), 'chai.js')
  return new Script(readFileSync(filename, 'utf8'), { filename }).runInThisContext() as () => Chai
}

/**
 * Makes chai call `before` whenever a word of a chain, such as `to.equal`, is read or called, and `asserted` whenever
 * it checks a condition.
 */
function guard(chai: Chai, before: () => void, asserted: () => void): void {
  const guarded = (one: Anything): Anything =>
    function (this: unknown, ...args) {
      before()
      return one.apply(this, args)
    }
  const { prototype } = chai.Assertion
  for (const word of CHAI_WORDS) {
    const found = Object.getOwnPropertyDescriptor(prototype, word)
    if (found === undefined) continue
    for (const part of ['get', 'value'] as const) {
      const one: unknown = found[part]
      if (typeof one === 'function')
        Object.defineProperty(prototype, word, { ...found, [part]: guarded(one as Anything) })
    }
  }
  for (const one of Object.values(prototype['__methods'] as Record<string, { method: Anything }>))
    one.method = guarded(one.method)
  const told = prototype['assert'] as Anything
  Object.defineProperty(prototype, 'assert', {
    configurable: true,
    writable: true,
    value: function (this: unknown, ...args: unknown[]) {
      before()
      asserted()
      return told.apply(this, args)
    },
  })
}

/** Returns the module that `import … from 'chai'` gets, and the function that replaces `value.should`. */
export function chaiModule(load: () => Chai): {
  readonly module: () => Record<string, unknown>
  readonly shouldOf: (value: unknown) => unknown
} {
  let chai: Chai | null = null
  const loaded = (): Chai => (chai ??= load())
  const { prototype } = Object
  const should = (): unknown => {
    const made = loaded().should()
    // Chai adds `should` to `Object.prototype`, where a solution could replace it. So it is removed again. The tests
    // do not need it, because `x.should` in a test file is rewritten to a call of `shouldOf`.
    Reflect.deleteProperty(prototype, 'should')
    return made
  }
  return {
    module: () => {
      const all = { ...loaded(), should, Should: should }
      return { ...all, default: all }
    },
    shouldOf(value) {
      if (value === null || value === undefined)
        throw new TypeError(`Cannot read properties of ${String(value)} (reading 'should')`)
      return loaded().expect(value)
    },
  }
}
