/**
 * Fuzz tests for the readers, which must accept anything that a program prints. The input is lines of real
 * streams that are cut, duplicated, shuffled, interleaved or have a field of a wrong type, and also bytes that
 * are not text, events of unknown types, and keys that every object has, such as `__proto__`. No input may make
 * a reader throw, and no event may be dropped without a note.
 */
import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Step, Trajectory, Usage } from '@assay/contract'
import type { StreamReader, TrajectorySink } from '../agent-kind.ts'
import { agentKinds } from '../agents.ts'
import { assayReader, textReader } from '../own-command/assay-events.ts'
import { streamLines } from './stream-lines.ts'
import { TrajectoryBuilder } from './trajectory-builder.ts'

const SETTINGS = { model: null, args: [], mcpServers: {} }
const FOLDER = new URL('../../../../test/agent-streams/', import.meta.url)

interface Read {
  readonly name: string
  readonly make: (sink: TrajectorySink) => StreamReader
  /** Lines of recorded streams. The tests change them. */
  readonly lines: readonly string[]
}

const ASSAY_LINES = [
  { type: 'session', id: 's1' },
  { type: 'message', text: 'hi' },
  { type: 'tool-call', id: '1', name: 'x', args: { a: [1, { b: null }] } },
  { type: 'tool-result', id: '1', text: 'y', failed: true },
  { type: 'usage', model: 'm', input: 1, output: 2, usd: 0.1 },
  { type: 'file-change', path: 'a', change: 'deleted' },
  { type: 'done', answer: '42' },
].map((event) => JSON.stringify(event))

const READERS: readonly Read[] = [
  { name: 'assay', make: assayReader, lines: ASSAY_LINES },
  { name: 'text', make: textReader, lines: ASSAY_LINES },
  // Several agents share a reader.
  ...[...Map.groupBy(agentKinds(), ({ reader }) => reader)].map(([reader, kinds]) => ({
    name: kinds.map(({ name }) => name).join(', '),
    make: (sink: TrajectorySink) => reader(sink, SETTINGS),
    lines: kinds.flatMap(({ name }) => linesOf(name)),
  })),
]

function linesOf(agent: string): string[] {
  const lines = readdirSync(FOLDER)
    .filter((file) => file.startsWith(`${agent}-`))
    .flatMap((file) => readFileSync(new URL(file, FOLDER), 'utf8').split('\n').slice(0, -1))
  if (lines.length <= 5) throw new Error(`there are no recorded streams of ${agent}`)
  return lines
}

/**
 * Reads the turns with a reader. Returns the trajectory and how many calls and unknown events the reader
 * reported.
 */
function readAll(make: Read['make'], turns: readonly (readonly string[])[]) {
  let clock = 0
  const builder = new TrajectoryBuilder({ now: () => clock++, price: () => 0.001, folder: '/w' })
  const told = { calls: 0, others: 0 }
  const sink: TrajectorySink = new Proxy(builder, {
    get(target, key: keyof TrajectoryBuilder) {
      if (key === 'toolCall') told.calls++
      if (key === 'other') told.others++
      const value: unknown = target[key]
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  const reader = make(sink)
  turns.forEach((lines, turn) => {
    builder.beginTurn(turn, 'prompt')
    for (const line of lines) reader.line(line)
    for (const line of lines) reader.note?.(line)
    // As in a real trial, the reader gets only the last part of stderr.
    reader.lost?.(lines.join('\n').slice(-8192))
    reader.turnEnded()
  })
  return { builder, trajectory: builder.build(reader.format ?? 'x'), told }
}

// ── Properties of every trajectory ────────────────────────────────────────────────────────────────────

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0

function expectUsage(usage: Usage): void {
  expect(Object.keys(usage).toSorted()).toEqual(
    ['cacheRead', 'cacheWrite', 'input', 'output', 'reasoning'].toSorted(),
  )
  expect(Object.values(usage).every(isCount)).toBe(true)
  expect(usage.reasoning).toBeLessThanOrEqual(usage.output)
}

const FIELDS: Readonly<Record<Step['kind'], readonly string[]>> = {
  message: ['role', 'text'],
  reasoning: ['text'],
  'tool-call': ['args', 'failed', 'id', 'ms', 'name', 'result'],
  'file-change': ['change', 'path'],
  skill: ['name'],
  error: ['text'],
  other: ['raw', 'type'],
}
const TEXTS = ['role', 'text', 'id', 'name', 'change', 'path', 'raw', 'type'] as const

function expectStep(step: Step): void {
  const { kind, at, turn, ...rest } = step
  expect(isCount(at) && isCount(turn)).toBe(true)
  const { usage, usd, ...fields } = rest as typeof rest & { usage?: Usage; usd?: number }
  expect(Object.keys(fields).toSorted()).toEqual(FIELDS[kind])
  for (const key of TEXTS)
    if (key in fields) expect(typeof (fields as Record<string, unknown>)[key]).toBe('string')
  if (usage !== undefined) expectUsage(usage)
  if (usd !== undefined) expect(Number.isFinite(usd) && usd >= 0).toBe(true)
}

function expectSound(trajectory: Trajectory): void {
  for (const step of trajectory.steps) expectStep(step)
  for (const usage of Object.values(trajectory.usage)) expectUsage(usage)
  expect(isCount(trajectory.turns) && isCount(trajectory.ms)).toBe(true)
  expect(trajectory.usd === null || Number.isFinite(trajectory.usd)).toBe(true)
  expect(trajectory.usd === null).toBe(trajectory.usdFrom === null)
  expect(trajectory.oddities.every((one) => typeof one === 'string')).toBe(true)
  // The trajectory is stored as JSON, so parsing that JSON must give the same trajectory.
  expect(JSON.parse(JSON.stringify(trajectory))).toEqual(trajectory)
}

// ── Generated input ───────────────────────────────────────────────────────────────────────────────────

const NAMES = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', '']
const STRANGE: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(null, true, -1, 0.5, 1e300, '', [], {}, ...NAMES),
  fc.string(),
  fc.array(fc.jsonValue(), { maxLength: 3 }),
  fc.constant(JSON.parse('{"__proto__":{"type":"text"},"constructor":1,"length":-1}')),
)

/** Returns a copy of the value in which one nested part is replaced by `by`. `picks` select the part. */
function broken(value: unknown, picks: readonly number[], by: unknown): unknown {
  const [pick = 0, ...rest] = picks
  if (typeof value !== 'object' || value === null || rest.length === 0) return by
  const entries = Object.entries(value)
  if (entries.length === 0) return by
  const at = pick % entries.length
  const changed = entries.map(([key, one], i) => [key, i === at ? broken(one, rest, by) : one])
  return Array.isArray(value) ? changed.map(([, one]) => one) : Object.fromEntries(changed)
}

const lineFrom = (lines: readonly string[]): fc.Arbitrary<string> => {
  const line = fc.constantFrom(...lines)
  return fc.oneof(
    { weight: 6, arbitrary: line },
    fc.tuple(line, fc.nat()).map(([text, at]) => text.slice(0, at % (text.length + 1))),
    fc.tuple(line, line, fc.nat()).map(([a, b, at]) => a.slice(0, at % a.length) + b),
    {
      weight: 4,
      arbitrary: fc
        .tuple(line, fc.array(fc.nat(), { minLength: 1, maxLength: 5 }), STRANGE)
        .map(([text, picks, by]) => JSON.stringify(broken(JSON.parse(text), picks, by)) ?? ''),
    },
    fc.jsonValue().map((value) => JSON.stringify(value)),
    fc.record({ type: fc.oneof(fc.string(), STRANGE) }).map((value) => JSON.stringify(value) ?? ''),
    fc.string(),
  )
}

/** Returns a key by which different kinds of events can be distinguished. */
const keysOf = (line: string): string => {
  const { type, subtype, item } = JSON.parse(line) as Record<string, unknown>
  return JSON.stringify([type, subtype, (item as Record<string, unknown> | undefined)?.['type']])
}

/** Fields whose texts the readers search for phrases. */
const LOOKED_INTO = /^(?:text|command|message|result|content|output|aggregated_output|error|name)$/u

const withTexts = (line: string, text: string): string =>
  JSON.stringify(JSON.parse(line), (key, value: unknown) =>
    typeof value === 'string' && LOOKED_INTO.test(key) ? text : value,
  )

const RUNS = { numRuns: 40 }

describe.each(READERS)('the reader of $name', ({ name, make, lines }) => {
  it('has recorded streams to be tried with', () => {
    expect(lines.length).toBeGreaterThan(5)
  })

  it('takes lines that are cut, doubled, shuffled, mixed up or of the wrong types', () => {
    const streams = fc.array(fc.array(lineFrom(lines), { maxLength: 25 }), {
      minLength: 1,
      maxLength: 2,
    })
    fc.assert(
      fc.property(streams, (turns) => {
        const { builder, trajectory, told } = readAll(make, turns)
        expectSound(trajectory)
        // No reported event is lost: each call is a step or is noted as a duplicate, and each unknown event is
        // kept.
        const doubled = trajectory.oddities.some((one) => one.includes('told twice'))
        const calls = trajectory.steps.filter(({ kind }) => kind === 'tool-call')
        // A result without a call creates a step, but this step does not count as a call.
        const alone = trajectory.oddities.some((one) => one.includes('that was not told'))
        expect(calls.length).toBeGreaterThanOrEqual(builder.counts.toolCalls)
        if (!alone) expect(calls).toHaveLength(builder.counts.toolCalls)
        if (!doubled) expect(calls.length).toBeGreaterThanOrEqual(told.calls)
        expect(trajectory.steps.filter(({ kind }) => kind === 'other')).toHaveLength(told.others)
      }),
      RUNS,
    )
  })

  it('keeps events of types that it does not know, as they came', () => {
    const novel = fc
      .tuple(fc.string(), fc.jsonValue())
      .map(([type, value]) => JSON.stringify({ type: `novel ${type}`, value }))
    fc.assert(
      fc.property(fc.array(novel, { maxLength: 5 }), (events) => {
        const { steps } = readAll(make, [events]).trajectory
        const kept = steps.map((step) =>
          step.kind === 'other' ? step.raw : step.kind === 'message' ? step.text : '',
        )
        for (const event of events) expect(kept.join('\n')).toContain(event)
      }),
      RUNS,
    )
  })

  it('takes any bytes, in chunks that end anywhere', () => {
    const whole = Buffer.from(lines.slice(0, 30).join('\n'))
    const chunk = fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      fc.tuple(fc.nat(), fc.nat(2000)).map(([from, length]) => {
        const at = from % whole.length
        return whole.subarray(at, at + length)
      }),
      fc.constantFrom(Buffer.from('\n'), Buffer.from('\r\n'), Buffer.from([0xed, 0xa0, 0x80])),
    )
    fc.assert(
      fc.property(fc.array(chunk, { maxLength: 12 }), (chunks) => {
        const split = streamLines(1000)
        const read = [...chunks.flatMap((bytes) => split.add(bytes)), ...split.end()]
        const { trajectory, builder } = readAll(make, [read])
        expectSound(trajectory)
        expect(typeof builder.answerText).toBe('string')
      }),
      RUNS,
    )
  })

  it('takes lines that are huge or endlessly deep', () => {
    const deep = `${'[{"type":'.repeat(20_000)}1${'}]'.repeat(20_000)}`
    const inField = lines
      .slice(0, 10)
      .flatMap((line) => [
        line.replace('{', `{"deep":${deep},`),
        line.replace(/:\[/u, `:[${deep},`),
        line.replace(/("(?:input|args|content)"):\{/u, `$1:{"deep":${deep},`),
      ])
    const huge = lines
      .slice(0, 10)
      .map((line) => line.replaceAll(/"text":"/gu, `"text":"${'x'.repeat(400_000)}`))
    const { trajectory } = readAll(make, [[deep, ...inField, ...huge, 'y'.repeat(3_000_000)]])
    expectSound(trajectory)
    expect(JSON.stringify(trajectory).length).toBeLessThan(20_000_000)
    expect(name).not.toBe('')
  })

  it('takes texts that would keep a careless pattern busy for hours', () => {
    const tiring = ['skills/', '\n', 'Attempt 1 failed ', 'status: ']
    const kinds = [...new Map(lines.map((line) => [keysOf(line), line])).values()]
    for (const one of tiring) {
      const text = `${one.repeat(40_000)}!`
      const { trajectory } = readAll(make, [kinds.map((line) => withTexts(line, text))])
      expect(trajectory.version).toBe(1)
    }
  })

  it('makes the same of a stream that is cut as far as it goes', () => {
    const some = lines.slice(0, 40)
    const full = readAll(make, [some]).trajectory.steps.map(({ kind }) => kind)
    for (let cut = 0; cut < some.length; cut += 3) {
      const { trajectory } = readAll(make, [some.slice(0, cut)])
      expectSound(trajectory)
      const kinds = trajectory.steps.map(({ kind }) => kind)
      // The last step is not compared, because it may be an incomplete message.
      expect(kinds.slice(0, -1)).toEqual(full.slice(0, Math.max(0, kinds.length - 1)))
    }
  })
})
