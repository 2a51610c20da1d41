/**
 * The message format between the solution's process and the tester's. Plain data is copied, and the copies are kept
 * equal (`shared.ts`). Objects with behavior stay in their process, and the other process uses them by calls
 * (`remote.ts`). A message contains values and a flat list of the objects that the values refer to. Each object has a
 * number that identifies it in all messages. So cycles, shared references and deep nesting need no recursion. Objects
 * of the solution have positive numbers, and those of the tester have negative ones.
 */

/**
 * An encoded value. If JSON supports the value, it is the value itself. Otherwise it is an array of a mark and data.
 */
export type Wire = string | number | boolean | null | readonly [mark: string, ...rest: unknown[]]

/**
 * The description of an object. It is sent with the first message that refers to the object, and again when the
 * object's content has changed.
 */
export type Node = readonly [kind: string, ...rest: unknown[]]

/** The objects in one message: the number and the node (description) of each. */
export type Nodes = readonly (readonly [id: number, node: Node])[]

export type Message =
  /** A request: its number, the operation, the object, and the arguments. */
  | readonly ['call', number, Operation, Wire, readonly Wire[], Nodes]
  | readonly ['returned', number, Wire, Nodes]
  | readonly ['threw', number, Wire, Nodes]
  /** A promise that was sent earlier has settled. */
  | readonly ['settled', number, boolean, Wire, Nodes]
  /** The solution's modules are loaded. */
  | readonly ['loaded', readonly LoadedModule[], Nodes]
  | readonly ['failed', string]
  /** An error in the solution at a time when it was not handling a request, for example in a timer. */
  | readonly ['uncaught', string]

/**
 * A module: its path, the object with its exports, and their names. Exported functions are sent with their name.
 * Other exports are requested when the tests read them.
 */
export type LoadedModule = readonly [
  path: string,
  holder: Wire,
  exports: readonly (readonly [name: string, value: Wire | null])[],
  common: boolean,
]

export type Operation =
  | 'apply'
  | 'construct'
  | 'get'
  | 'set'
  | 'has'
  | 'delete'
  | 'own'
  | 'primitive'

/** Thrown if the other process violates the protocol. */
export class Violation extends Error {
  override readonly name = 'Violation'
}

/** The highest number of objects, and of encoded values, in one message. */
export const MOST_OBJECTS = 100_000
export const MOST_PARTS = 2_000_000
/** The highest number of characters in one message. */
export const MOST_MESSAGE = 12 * 1024 * 1024

const WELL_KNOWN = [
  'iterator',
  'asyncIterator',
  'hasInstance',
  'isConcatSpreadable',
  'match',
  'matchAll',
  'replace',
  'search',
  'species',
  'split',
  'toPrimitive',
  'toStringTag',
  'unscopables',
  'dispose',
  'asyncDispose',
] as const

export const wellKnown = new Map<symbol, string>()
export const wellKnownByName = new Map<string, symbol>()
for (const name of WELL_KNOWN) {
  const symbol = (Symbol as unknown as Record<string, unknown>)[name]
  if (typeof symbol !== 'symbol') continue
  wellKnown.set(symbol, name)
  wellKnownByName.set(name, symbol)
}

const ERRORS = [
  Error,
  TypeError,
  RangeError,
  SyntaxError,
  ReferenceError,
  EvalError,
  URIError,
  AggregateError,
] as const

export const errorClasses = new Map<string, ErrorConstructor>(
  ERRORS.map((one) => [one.name, one as unknown as ErrorConstructor]),
)

const CLASSES = [
  ...ERRORS,
  Object,
  Array,
  String,
  Number,
  Boolean,
  BigInt,
  Symbol,
  Map,
  Set,
  WeakMap,
  WeakSet,
  Promise,
  Date,
  RegExp,
] as const

/**
 * Objects that exist in both processes and are sent by name: built-in classes, their prototypes, and some built-in
 * functions.
 */
export const intrinsics = new Map<string, object>([
  ['Function.prototype', Function.prototype],
  ...[parseInt, parseFloat, isNaN, isFinite].map((one) => [one.name, one] as [string, object]),
  ...CLASSES.flatMap((one) => [
    [one.name, one] as [string, object],
    [`${one.name}.prototype`, one.prototype] as [string, object],
  ]),
])

export const intrinsicNames = new Map<object, string>(
  [...intrinsics].map(([name, object]) => [object, name]),
)

const arrays = [
  Int8Array,
  Uint8Array,
  Uint8ClampedArray,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
  Float32Array,
  Float64Array,
  BigInt64Array,
  BigUint64Array,
] as const

type BytesClass = new (buffer: ArrayBuffer) => object

/** Typed arrays and other classes for bytes: the classes by name, and their names by prototype. */
export const bytesClasses = new Map<string, BytesClass>(
  arrays.map((one) => [one.name, one as unknown as BytesClass]),
)
export const bytesNames = new Map<object, string>([
  ...arrays.map((one) => [one.prototype, one.name] as [object, string]),
  [Buffer.prototype, 'Buffer'],
  [ArrayBuffer.prototype, 'ArrayBuffer'],
  [DataView.prototype, 'DataView'],
])
