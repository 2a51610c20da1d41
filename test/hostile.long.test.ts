/**
 * Grades the thirty kinds of hostile programs in each language as answers of a run: once as the user of this test
 * and once as an unprivileged user. No program may pass, get a secret, reach the loopback network, or be left
 * running after its grading. The grading process must never be blocked for long, and each failure must have a
 * reason for people.
 */
import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest'
import { corpus } from './hostile/corpus.ts'
import { makePlace, type Place } from './hostile/place.ts'
import type { Expected } from './hostile/program.ts'
import { holdSession, type Session } from './hostile/session.ts'
import type { LanguageName } from './hostile/tasks.ts'
import type { Trial } from 'assay'

/** The id of a user that has no account. */
const STRANGER = 61_937
/**
 * Far longer than any single step of the grading process. A blocked event loop is blocked for longer than this.
 */
const MOST_STILL_MS = 10_000
const KINDS = 30
const isRoot = process.getuid?.() === 0

let place: Place

beforeAll(async () => {
  place = await makePlace()
}, 120_000)
afterAll(() => place?.close(), 120_000)

/** The toolchains of this user, which may be in the user's home folder. */
const ownToolchains = {
  RUSTUP_HOME: process.env['RUSTUP_HOME'] ?? join(homedir(), '.rustup'),
  CARGO_HOME: process.env['CARGO_HOME'] ?? join(homedir(), '.cargo'),
}

/** Returns what is wrong with how one program ended. Empty if all is right. */
function faults(trial: Trial | undefined, expected: Expected): string[] {
  if (trial === undefined) return ['was not graded']
  const { outcome, reason, grades } = trial
  const mustPass = expected.causes.length === 0
  const said = reason?.text ?? grades[0]?.reason ?? ''
  const facts = grades[0]?.facts as { readonly warnings?: number } | undefined
  const all = JSON.stringify(grades)
  return [
    ...(outcome === (mustPass ? 'passed' : 'failed') ? [] : [`is ${outcome}`]),
    ...(mustPass || (reason !== undefined && expected.causes.includes(reason.code))
      ? []
      : [`for ${reason?.code}, not ${expected.causes.join(' or ')}`]),
    ...(expected.reason.test(said) ? [] : ['a reason that says something else']),
    // eslint-disable-next-line no-control-regex
    ...(said.length < 700 && !/[\0-\x08\x0b-\x1f]|undefined|\[object|\bNaN\b/u.test(said)
      ? []
      : ['a reason that nobody can read']),
    ...(expected.shows === undefined || expected.shows.test(all) ? [] : ['does not show its try']),
    ...(expected.warnings === undefined || (facts?.warnings ?? 0) >= expected.warnings
      ? []
      : [`${facts?.warnings} warnings, not ${expected.warnings}`]),
  ].map((fault) => `${fault}: ${said.slice(0, 300)}`)
}

/** Programs whose trial contains a secret, also in the texts that are stored separately. */
function leaked({ folder, trials, programs }: Session): string[] {
  const secrets = [...Object.values(place.secrets), place.key]
  const textsOf = (trial: Trial): string[] => {
    const line = JSON.stringify(trial)
    const blobs = [...line.matchAll(/"blob":"(..)([^"]+)"/g)].map(([, start = '', rest = '']) =>
      readFileSync(join(folder, 'run/blobs', start, rest), 'utf8'),
    )
    return [line, ...blobs]
  }
  return [...trials.values()]
    .filter((trial) => programs.has(trial.case))
    .filter((trial) => textsOf(trial).some((text) => secrets.some((one) => text.includes(one))))
    .map((trial) => trial.case)
}

function expectSafe(session: Session): void {
  const { programs, trials, honest, counts } = session
  const found = [...programs].flatMap(([id, { expect: expected }]) =>
    faults(trials.get(id), expected).map((fault) => `${id}: ${fault}`),
  )
  expect(found).toEqual([])
  expect(honest.filter((id) => trials.get(id)?.outcome !== 'passed')).toEqual([])
  const passed =
    honest.length + [...programs.values()].filter((one) => one.expect.causes.length === 0).length
  const planned = honest.length + programs.size
  expect(counts).toEqual({
    planned,
    passed,
    failed: planned - passed,
    unscored: 0,
    errored: 0,
    cancelled: 0,
  })
  expect(leaked(session)).toEqual([])
  expect(place.visitors()).toBe(0)
  expect(place.changes()).toEqual([])
  expect(session.outlived).toEqual([])
  expect(session.survivors).toEqual([])
  expect(session.stoodStillMs).toBeLessThan(MOST_STILL_MS)
  // Checks that the watch can see processes at all.
  expect(session.seen).toBeGreaterThan(0)
  expect(session.processes).toBeGreaterThan(1)
}

async function expectHarmless(
  context: TestContext,
  language: LanguageName,
  stranger: boolean,
): Promise<void> {
  const session = await holdSession(
    place,
    stranger
      ? { language, user: STRANGER, env: { PATH: '/usr/local/bin:/usr/bin:/bin' } }
      : { language, env: ownToolchains },
  )
  const { missing, processes, stoodStillMs, counts } = session
  if (missing !== null && (language === 'python' || language === 'rust')) context.skip(missing)
  console.log(
    `${language}${stranger ? ' as a stranger' : ''}: ${counts['planned']} answers, ${processes} processes, stood still for ${stoodStillMs} ms`,
  )
  expectSafe(session)
}

const languages = Object.keys(corpus) as LanguageName[]

it.each(languages.filter((one) => one !== 'javascript'))(
  '%s has programs of every kind that it can have',
  (language) => {
    const kinds = new Set(corpus[language].map(({ kind }) => kind))
    const lacks = Array.from({ length: KINDS }, (_, at) => at + 1).filter(
      (kind) => !kinds.has(kind),
    )
    expect(lacks).toEqual(UNTHINKABLE[language] ?? [])
  },
)

/**
 * Without unsafe code, a Rust program cannot use signals (15, 25) or fork (17). Its patterns never backtrack (24),
 * and it has no values whose text it could change (8).
 */
const UNTHINKABLE: Partial<Record<LanguageName, readonly number[]>> = { rust: [8, 15, 17, 24, 25] }

describe('hostile programs, graded as this user', () => {
  for (const language of languages)
    it(`in ${language}`, (context) => expectHarmless(context, language, false))
})

describe.skipIf(!isRoot)('hostile programs, graded as an unprivileged user', () => {
  for (const language of languages)
    it(`in ${language}`, (context) => expectHarmless(context, language, true))
})

/** Tests the tests: without protection, the secrets and connections that they look for can be seen. */
describe('the same programs without a sandbox', () => {
  for (const language of ['typescript', 'python', 'rust'] as const)
    it(`get what was planted for them, in ${language}`, async (context) => {
      const open = await makePlace()
      try {
        const session = await holdSession(open, { language, sandbox: 'none', env: ownToolchains })
        if (session.missing !== null && language !== 'typescript') context.skip(session.missing)
        const found = readFileSync(join(session.folder, 'run/trials.jsonl'), 'utf8')
        expect(found).toContain(open.secrets['home'])
        expect(found).toContain(open.secrets['harness'])
        expect(open.visitors()).toBeGreaterThan(0)
      } finally {
        await open.close()
      }
    })
})
