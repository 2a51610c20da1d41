/**
 * The message format between the solution's process and the tester's. Plain data is copied and kept in sync on both
 * sides (`shared.ts`). Everything with behavior stays where it is and is reached by calls (`remote.ts`). A message
 * contains values and a flat list of the objects they refer to, each with an identity for the whole exchange. So
 * cycles, shared references and depth are not a problem, and nothing here recurses. Objects of the solution have
 * positive identities, the tester's have negative ones.
 */

/** A value: itself if JSON supports it, else a mark and its data. */
export type Wire = string | number | boolean | null | readonly [mark: string, ...rest: unknown[]]

/** The description of an object. It is sent when the object is first mentioned and when its content has changed. */
export type Node = readonly [kind: string, ...rest: unknown[]]

/** Objects in one message: identity and node. */
export type Nodes = readonly (readonly [id: number, node: Node])[]

export type Message =
  /** A request: its number, the operation, the object, and the arguments. */
  | readonly ['call', number, Operation, Wire, readonly Wire[], Nodes]
  | readonly ['returned', number, Wire, Nodes]
  | readonly ['threw', number, Wire, Nodes]
  /** A promise that was sent earlier has settled. */
  | readonly ['settled', number, boolean, Wire, Nodes]
  /** The solution's modules are loaded, or loading them threw. */
  | readonly ['loaded', readonly LoadedModule[], Nodes]
  | readonly ['failed', string]
  /** An error in the solution outside of any call. */
  | readonly ['uncaught', string]

/**
 * A module: its path, the object with its exports, and their names. Exports that are functions come with their value.
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

/** The other side violates the protocol. */
export class Violation extends Error {
  override readonly name = 'Violation'
}

/** Limits for one value. */
export const MOST_OBJECTS = 100_000
export const MOST_PARTS = 2_000_000
/** Limit for one message, in characters. */
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

/** Objects that exist on both sides: built-in classes, their prototypes, and some functions. */
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

/** Typed arrays and other classes of bytes by name, and their names by prototype. */
export const bytesClasses = new Map<string, BytesClass>(
  arrays.map((one) => [one.name, one as unknown as BytesClass]),
)
export const bytesNames = new Map<object, string>([
  ...arrays.map((one) => [one.prototype, one.name] as [object, string]),
  [Buffer.prototype, 'Buffer'],
  [ArrayBuffer.prototype, 'ArrayBuffer'],
  [DataView.prototype, 'DataView'],
])
