/**
 * Reads the options of a simulated subject, from a table in a file or from the command line:
 *
 *     simulated:pass=0.8,seed=3,latency=800~0.4,price=0.002
 *
 * `pass` is a probability, or beta:A:B for a Beta distribution. Input and output tokens, price (US dollars) and
 * latency (milliseconds) are each a number, or MEDIAN~SIGMA for a log-normal distribution. With `realtime`, the
 * subject really waits for its latency.
 */
import { z } from 'zod'
import { UsageError } from '@assay/contract'
import type { SimulatedOptions } from './simulated.ts'

const probability = z.number().min(0).max(1)
const shape = z.number().min(1e-3).max(1e6)
const amount = z.number().min(0).max(1e9)
const spread = z.union([
  amount,
  z.strictObject({ median: amount, sigma: z.number().min(0).max(10) }),
])

const simulatedSchema = z
  .strictObject({
    pass: z
      .union([
        probability,
        z.strictObject({ beta: z.tuple([shape, shape]) }),
        z.record(z.string(), probability),
      ])
      .default(0.8)
      .describe(
        'How probable a pass is: one number, a table by case id ("*" for the others), or { beta = [a, b] }.',
      ),
    seed: z
      .int()
      .min(0)
      .default(1)
      .describe('Seed of what belongs to a case, such as its own pass.'),
    input: spread.optional().describe('Input tokens: a number, or { median, sigma } (log-normal).'),
    output: spread.optional().describe('Output tokens, likewise.'),
    price: spread.optional().describe('US dollars for one answer, likewise.'),
    latency: spread.optional().describe('Milliseconds for one answer, likewise.'),
    realtime: z.boolean().optional().describe('Really wait for the latency.'),
  })
  .describe('Draws from the cases’ reference and faulty answers.')

const SPREAD_EXPECTED = 'a number from 0, or a median and a sigma'
const EXPECTED: Readonly<Record<string, string>> = {
  pass: 'a probability from 0 to 1, a table of them by case, or beta with two numbers above 0',
  seed: 'a whole number from 0',
  input: SPREAD_EXPECTED,
  output: SPREAD_EXPECTED,
  price: SPREAD_EXPECTED,
  latency: SPREAD_EXPECTED,
  realtime: 'true or false',
}

/** Returns the options that a table contains. Throws a `UsageError` that says what is wrong with them. */
export function checkSimulated(id: string, table: unknown): SimulatedOptions {
  const { data, error } = simulatedSchema.safeParse(table)
  if (data !== undefined) {
    const given = Object.entries(data).filter(([, value]) => value !== undefined)
    return { id, ...(Object.fromEntries(given) as Omit<SimulatedOptions, 'id'>) }
  }
  const problems = error.issues.map((issue) => {
    const key = String(issue.path[0] ?? '')
    if (issue.code === 'unrecognized_keys' && key === '')
      return `there is no ${issue.keys.join(', ')}; known are ${Object.keys(EXPECTED).join(', ')}`
    return `${key || 'it'} must be ${EXPECTED[key] ?? 'a table of options'}`
  })
  throw new UsageError(`${id}: ${[...new Set(problems)].join('; ')}`)
}

/** Reads the text after `simulated:` on the command line. */
export function parseSimulated(id: string, text: string): SimulatedOptions {
  const table: Record<string, unknown> = {}
  for (const part of text.split(',')) {
    if (part.trim() === '') continue
    const [name = '', value] = part.split('=', 2).map((one) => one.trim())
    if (Object.hasOwn(table, name)) throw new UsageError(`${id}: ${name} is given twice`)
    table[name] = value === undefined ? true : parseValue(value)
  }
  return checkSimulated(id, table)
}

const NUMBER = String.raw`[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?`
const SPREAD = new RegExp(`^(${NUMBER})~(${NUMBER})$`)
const BETA = new RegExp(`^beta:(${NUMBER}):(${NUMBER})$`)
const ALONE = new RegExp(`^${NUMBER}$`)

function parseValue(value: string): unknown {
  const [, median, sigma] = SPREAD.exec(value) ?? []
  if (median !== undefined) return { median: Number(median), sigma: Number(sigma) }
  const [, a, b] = BETA.exec(value) ?? []
  if (a !== undefined) return { beta: [Number(a), Number(b)] }
  if (value === 'true' || value === 'false') return value === 'true'
  return ALONE.test(value) ? Number(value) : value
}
