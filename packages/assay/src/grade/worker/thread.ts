/**
 * The main module of a grading thread. It does work that an answer can make endless: regular expressions, JSON
 * Schemas and comparisons of texts. It does one task at a time. The caller may terminate the thread instead of
 * waiting for the reply.
 */
import { parentPort } from 'node:worker_threads'
import { Validator } from '@cfworker/json-schema'
import { READY } from '../../pool/index.ts'
import { groupPattern, matchGroup, type Match } from '../regex/match-group.ts'
import { similarityOf } from '../text/similarity-score.ts'
import type { BuiltInTask, Misfits, PatternTask, Reply, SchemaTask } from './task.ts'

const MOST_KEPT = 200
const MOST_MISFITS = 5

const patterns = new Map<string, RegExp>()
const validators = new Map<string, Validator>()

/** Returns the cached value for the key, or creates and caches it. When the cache is full, it is cleared. */
function kept<T>(store: Map<string, T>, key: string, make: () => T): T {
  const known = store.get(key)
  if (known !== undefined) return known
  if (store.size >= MOST_KEPT) store.clear()
  const made = make()
  store.set(key, made)
  return made
}

function perform(task: BuiltInTask): Match | null | Misfits | number {
  if (task.kind === 'pattern') return firstMatch(task)
  return task.kind === 'schema' ? misfits(task) : similarityOf(task.a, task.b, task.by)
}

function firstMatch({ pattern, flags, text, wanted }: PatternTask): Match | null {
  if (wanted !== undefined) {
    const made = kept(patterns, `group ${flags}/${pattern}`, () => groupPattern(pattern, flags))
    return matchGroup(made, text, wanted)
  }
  const match = kept(patterns, `${flags}/${pattern}`, () => new RegExp(pattern, flags)).exec(text)
  return match === null ? null : { index: match.index, length: match[0].length }
}

function misfits({ schema, draft, text }: SchemaTask): Misfits {
  const validator = kept(
    validators,
    `${draft}/${schema}`,
    () => new Validator(JSON.parse(schema), draft, false),
  )
  const { errors } = validator.validate(JSON.parse(text))
  // Outer errors only say that a nested value is wrong. The deepest errors name the fault, so they come first.
  return errors
    .toSorted((a, b) => depth(b.instanceLocation) - depth(a.instanceLocation))
    .slice(0, MOST_MISFITS)
    .map(({ instanceLocation, error }) => ({
      at: instanceLocation.slice(1, 200),
      why: error.slice(0, 500),
    }))
}

const depth = (pointer: string): number => pointer.split('/').length

function reply(task: BuiltInTask): Reply {
  try {
    return { found: perform(task) }
  } catch (error) {
    // V8 throws a RangeError if a pattern backtracks too much or the recursion is too deep. The answer causes
    // that, so it counts as a limit.
    const limit = error instanceof RangeError
    return { failed: error instanceof Error ? error.message : String(error), limit }
  }
}

const port = parentPort
if (port === null) throw new Error('grade/thread runs as a worker thread only')
port.on('message', (task: BuiltInTask) => port.postMessage(reply(task)))
port.postMessage(READY)
