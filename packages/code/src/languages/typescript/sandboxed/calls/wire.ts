/**
 * How values travel between the process that holds the sample and the one that testers it. Plain data is
 * copied and kept the same on both sides (`shared.ts`); everything with behaviour stays where it is and
 * is reached by calls (`remote.ts`). A message carries values, and a flat list of the objects they speak
 * of, each with an identity that holds for the whole exchange: so cycles, shared references and depth are
 * no matter, and nothing here recurses. Objects of the sample have positive identities, the tester's have
 * negative ones.
 */

/** A value: itself where JSON has it, else a mark and what it needs. */
export type Wire = string | number | boolean | null | readonly [mark: string, ...rest: unknown[]]

/** What an object is, when it is first spoken of and when its content has changed. */
export type Node = readonly [kind: string, ...rest: unknown[]]

/** Objects in one message: identity and node. */
export type Nodes = readonly (readonly [id: number, node: Node])[]

export type Message =
  /** A request: its number, what is to be done, with which object, and the arguments. */
  | readonly ['call', number, Operation, Wire, readonly Wire[], Nodes]
  | readonly ['returned', number, Wire, Nodes]
  | readonly ['threw', number, Wire, Nodes]
  /** A promise that was spoken of has settled. */
  | readonly ['settled', number, boolean, Wire, Nodes]
  /** The sample's modules are loaded; or loading them threw. */
  | readonly ['loaded', readonly LoadedModule[], Nodes]
  | readonly ['failed', string]
  /** Something went wrong in the sample outside of any call. */
  | readonly ['uncaught', string]

/** A module by its path: what holds its exports, their names and the values of those that are functions. */
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

/** The other side does not keep to the protocol. */
export class Violation extends Error {
  override readonly name = 'Violation'
}

/** More than is carried in one value. */
export const MOST_OBJECTS = 100_000
export const MOST_PARTS = 2_000_000
/** Of one message, in characters. */
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

/** What both sides have of their own: the language's classes, their prototypes, some functions. */
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

/** Classes of bytes by name, and their names by prototype. */
export const bytesClasses = new Map<string, BytesClass>(
  arrays.map((one) => [one.name, one as unknown as BytesClass]),
)
export const bytesNames = new Map<object, string>([
  ...arrays.map((one) => [one.prototype, one.name] as [object, string]),
  [Buffer.prototype, 'Buffer'],
  [ArrayBuffer.prototype, 'ArrayBuffer'],
  [DataView.prototype, 'DataView'],
])
