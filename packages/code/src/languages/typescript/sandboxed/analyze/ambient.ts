/**
 * Type declarations for solutions, in addition to those of the language: the globals of Node that answers use, and
 * Node's modules, whose exports are all `any`. Checking against them takes a tenth of the time that `@types/node`
 * takes. Timers are `any`, because answers use two different types for them (a number, or Node's object). Test
 * libraries are declared too, because some answers contain tests.
 */
import { builtinModules } from 'node:module'

const GLOBALS = `
interface Console {
  assert(condition?: boolean, ...data: any[]): void; clear(): void; count(label?: string): void
  debug(...data: any[]): void; dir(item?: any, options?: any): void; error(...data: any[]): void
  group(...data: any[]): void; groupEnd(): void; info(...data: any[]): void; log(...data: any[]): void
  table(data?: any, properties?: string[]): void; time(label?: string): void
  timeEnd(label?: string): void; timeLog(label?: string, ...data: any[]): void
  trace(...data: any[]): void; warn(...data: any[]): void
}
declare var console: Console
declare function setTimeout(callback: (...args: any[]) => void, ms?: number, ...args: any[]): any
declare function setInterval(callback: (...args: any[]) => void, ms?: number, ...args: any[]): any
declare function setImmediate(callback: (...args: any[]) => void, ...args: any[]): any
declare function clearTimeout(id?: any): void
declare function clearInterval(id?: any): void
declare function clearImmediate(id?: any): void
declare function queueMicrotask(callback: () => void): void
declare function structuredClone<T = any>(value: T, options?: { transfer?: any[] }): T
declare function atob(data: string): string
declare function btoa(data: string): string
declare function fetch(input: any, init?: any): Promise<Response>
declare var performance: { now(): number; timeOrigin: number; mark(name: string, options?: any): any; measure(name: string, ...rest: any[]): any }
declare class URLSearchParams implements Iterable<[string, string]> {
  constructor(init?: string | Record<string, string> | Iterable<[string, string]> | URLSearchParams)
  readonly size: number
  append(name: string, value: string): void; delete(name: string, value?: string): void
  get(name: string): string | null; getAll(name: string): string[]; has(name: string, value?: string): boolean
  set(name: string, value: string): void; sort(): void; toString(): string
  forEach(callback: (value: string, key: string, parent: URLSearchParams) => void): void
  entries(): IterableIterator<[string, string]>; keys(): IterableIterator<string>; values(): IterableIterator<string>
  [Symbol.iterator](): IterableIterator<[string, string]>
}
declare class URL {
  constructor(url: string | URL, base?: string | URL)
  static canParse(url: string | URL, base?: string | URL): boolean
  static parse(url: string | URL, base?: string | URL): URL | null
  hash: string; host: string; hostname: string; href: string; readonly origin: string; password: string
  pathname: string; port: string; protocol: string; search: string; readonly searchParams: URLSearchParams
  username: string; toString(): string; toJSON(): string
}
declare class TextEncoder { readonly encoding: string; encode(input?: string): Uint8Array<ArrayBuffer>; encodeInto(source: string, target: Uint8Array): { read: number; written: number } }
declare class TextDecoder { constructor(label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean }); readonly encoding: string; decode(input?: any, options?: { stream?: boolean }): string }
interface EventInit { bubbles?: boolean; cancelable?: boolean; composed?: boolean }
declare class Event { constructor(type: string, init?: EventInit); readonly type: string; readonly target: EventTarget | null; readonly currentTarget: EventTarget | null; readonly defaultPrevented: boolean; readonly timeStamp: number; preventDefault(): void; stopPropagation(): void; stopImmediatePropagation(): void }
declare class CustomEvent<T = any> extends Event { constructor(type: string, init?: EventInit & { detail?: T }); readonly detail: T }
type EventListener = (event: any) => void
declare class EventTarget { addEventListener(type: string, listener: EventListener | { handleEvent(event: any): void } | null, options?: any): void; removeEventListener(type: string, listener: any, options?: any): void; dispatchEvent(event: Event): boolean }
declare class AbortSignal extends EventTarget { readonly aborted: boolean; readonly reason: any; onabort: ((event: any) => any) | null; throwIfAborted(): void; static abort(reason?: any): AbortSignal; static timeout(ms: number): AbortSignal; static any(signals: Iterable<AbortSignal>): AbortSignal }
declare class AbortController { readonly signal: AbortSignal; abort(reason?: any): void }
declare class DOMException extends Error { constructor(message?: string, name?: string); readonly code: number }
declare class Headers implements Iterable<[string, string]> { constructor(init?: any); append(name: string, value: string): void; delete(name: string): void; get(name: string): string | null; has(name: string): boolean; set(name: string, value: string): void; forEach(callback: (value: string, key: string) => void): void; entries(): IterableIterator<[string, string]>; [Symbol.iterator](): IterableIterator<[string, string]> }
interface RequestInit { method?: string; headers?: any; body?: any; signal?: AbortSignal | null; [key: string]: any }
interface ResponseInit { status?: number; statusText?: string; headers?: any }
declare class Request { constructor(input: any, init?: RequestInit); readonly url: string; readonly method: string; readonly headers: Headers; readonly signal: AbortSignal; json(): Promise<any>; text(): Promise<string> }
declare class Response { constructor(body?: any, init?: ResponseInit); readonly ok: boolean; readonly status: number; readonly statusText: string; readonly headers: Headers; readonly url: string; readonly body: any; json(): Promise<any>; text(): Promise<string>; arrayBuffer(): Promise<ArrayBuffer>; clone(): Response; static json(data: any, init?: ResponseInit): Response }
type RequestInfo = Request | string
declare class Blob { constructor(parts?: any[], options?: any); readonly size: number; readonly type: string; text(): Promise<string>; arrayBuffer(): Promise<ArrayBuffer> }
declare var crypto: { randomUUID(): string; getRandomValues<T>(array: T): T; subtle: any }
declare class ReadableStream<R = any> { constructor(...args: any[]); [key: string]: any; [Symbol.asyncIterator](): AsyncIterableIterator<R> }
declare class WritableStream<W = any> { constructor(...args: any[]); [key: string]: any }
declare class TransformStream<I = any, O = any> { constructor(...args: any[]); [key: string]: any }
declare class MessageChannel { readonly port1: any; readonly port2: any }
declare class WebSocket extends EventTarget { constructor(...args: any[]); [key: string]: any }
declare namespace WebAssembly { const compile: any; const instantiate: any; const Module: any; const Instance: any; const Memory: any }
type BufferEncoding = 'ascii' | 'utf8' | 'utf-8' | 'utf16le' | 'ucs2' | 'base64' | 'base64url' | 'latin1' | 'binary' | 'hex'
interface Buffer extends Uint8Array { toString(encoding?: BufferEncoding, start?: number, end?: number): string; equals(other: Uint8Array): boolean; [method: string]: any }
declare var Buffer: { from(...args: any[]): Buffer; alloc(size: number, fill?: any, encoding?: any): Buffer; allocUnsafe(size: number): Buffer; concat(list: readonly Uint8Array[], length?: number): Buffer; isBuffer(value: any): value is Buffer; byteLength(value: any, encoding?: any): number; compare(a: Uint8Array, b: Uint8Array): number }
declare var process: any
declare namespace NodeJS { type Timeout = any; type Timer = any; type Immediate = any; type ErrnoException = Error & { code?: string; errno?: number; path?: string; syscall?: string }; type ProcessEnv = Record<string, string | undefined>; type ReadableStream = any; type WritableStream = any; type EventEmitter = any }
declare var global: typeof globalThis
declare var require: any
declare var module: any
declare var exports: any
declare var __dirname: string
declare var __filename: string
interface ImportMeta { url: string; filename: string; dirname: string; main: boolean; resolve(specifier: string): string; vitest?: any; env?: any }
declare var describe: any
declare var it: any
declare var test: any
declare var expect: any
declare var beforeEach: any
declare var afterEach: any
declare var beforeAll: any
declare var afterAll: any
declare var vi: any
declare var jest: any
`

/** Names that answers import from Node's modules and that are only types, not values, in `@types/node`. */
const TYPES: Readonly<Record<string, readonly string[]>> = {
  events: ['EventEmitterOptions', 'EventMap', 'Listener'],
  stream: [
    'ReadableOptions',
    'WritableOptions',
    'TransformCallback',
    'TransformOptions',
    'DuplexOptions',
  ],
  crypto: ['BinaryLike', 'CipherGCM', 'KeyLike'],
  fs: ['PathLike', 'BigIntStats', 'WriteFileOptions', 'FSWatcher'],
  http: ['RequestListener', 'IncomingHttpHeaders', 'RequestOptions', 'OutgoingHttpHeaders'],
  path: ['ParsedPath', 'FormatInputPathObject', 'PlatformPath'],
  util: ['InspectOptions', 'CustomInspectFunction'],
  url: ['UrlObject', 'UrlWithStringQuery'],
  net: ['AddressInfo'],
  child_process: ['SpawnOptions', 'ExecOptions'],
  readline: ['ReadLine', 'ReadLineOptions', 'Key'],
}

const LIBRARIES = [
  'vitest',
  '@jest/globals',
  'jest',
  'bun:test',
  'mocha',
  'chai',
  'node:test',
  'node:test/reporters',
  'node:sqlite',
  'node:sea',
]

/** Returns the declarations of Node's globals, as the text of one file. */
export const ambientGlobals = (): string => GLOBALS

/**
 * Returns the declarations of Node's modules. Every export has the type `any`. A name that may be a class is declared
 * as a type too.
 */
export function ambientModules(): string {
  const parts: string[] = LIBRARIES.map((name) => `declare module '${name}'`)
  for (const name of builtinModules) {
    if (name.startsWith('_') || name.startsWith('node:')) continue
    const found: unknown = process.getBuiltinModule(name)
    const values = Object.keys(Object(found) as object).filter(
      (key) => /^[A-Za-z_$][\w$]*$/.test(key) && key !== 'default',
    )
    const types = [...values.filter((key) => /^[A-Z]/.test(key)), ...(TYPES[name] ?? [])]
    const body = [
      ...values
        .filter((key) => !types.includes(key))
        .map((key) => `const _${key}: any; export { _${key} as ${key} }`),
      ...types.map(
        (key) =>
          `${values.includes(key) ? `const _${key}: any; ` : ''}type _${key}<A = any, B = any, C = any> = any; export { ${values.includes(key) ? '' : 'type '}_${key} as ${key} }`,
      ),
    ]
    parts.push(
      `declare module '${name}' { const main: any; export default main; ${body.join('; ')} }`,
    )
    parts.push(
      `declare module 'node:${name}' { export { default } from '${name}'; export * from '${name}' }`,
    )
  }
  return parts.join('\n')
}
