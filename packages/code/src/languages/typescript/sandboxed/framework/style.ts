/**
 * How each test library calls a test or hook. Jest and mocha pass the callback `done` as the first argument, vitest
 * passes a context, and `node:test` passes a context and then `done`. A test that uses global functions may be
 * written for jest, mocha or vitest. For such a test, the name of its first parameter decides.
 */
import { shown } from './shown.ts'

export type Style = 'node' | 'vitest' | 'jest' | 'mocha' | 'global'

export type Body = (context: object, done?: (error?: unknown) => void) => unknown

/** Matches the name of the first parameter, if it is a plain name and not a pattern. */
const FIRST_NAME = /^(?:async\s+)?(?:function\s*\*?\s*[\w$]*\s*)?\(?\s*([\p{L}_$][\p{L}\p{N}_$]*)/u
/**
 * Names that people usually give to the context of vitest and `node:test`. A parameter with another name is taken for
 * the callback `done`.
 */
const CONTEXTS = new Set(['t', 'ctx', 'context', 'task', 'tc', 'testContext', '_', '_t', '_ctx'])

function takesDoneFirst(body: Body, style: Style): boolean {
  if (body.length === 0 || style === 'node') return false
  if (style === 'jest' || style === 'mocha') return body.length === 1
  const [, name] = FIRST_NAME.exec(Function.prototype.toString.call(body)) ?? []
  if (name === undefined || name === 'async') return false
  if (style === 'vitest') return name === 'done' && body.length === 1
  return body.length === 1 && !CONTEXTS.has(name)
}

/**
 * Runs the body of a test or hook, including one that takes a `done` callback. `self` is the body's `this`, which
 * mocha's tests use.
 */
export function called(
  body: Body,
  style: Style,
  context: object,
  self: object = context,
): Promise<unknown> {
  const first = takesDoneFirst(body, style)
  if (!first && body.length < 2) return new Promise((resolve) => resolve(body.call(self, context)))
  return waitingForDone((done) => (first ? body.call(self, done) : body.call(self, context, done)))
}

type Done = ((error?: unknown) => void) & { fail: (error?: unknown) => void }

/** Calls `run` with a callback `done`. Waits until `done` is called, or until a promise that `run` returns rejects. */
export function waitingForDone(run: (done: Done) => unknown): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const done = (error?: unknown): void => {
      if (error === undefined || error === null) resolve(undefined)
      else
        reject(error instanceof Error ? error : new Error(`done() was called with ${shown(error)}`))
    }
    const fail = (error?: unknown): void => reject(error ?? new Error('done.fail() was called'))
    Promise.resolve(run(Object.assign(done, { fail }))).catch(reject)
  })
}
