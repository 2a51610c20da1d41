import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import * as metrics from './index.ts'
import { registry } from './registry.ts'

const entries = registry.flatMap((room) => room.entries)
const names = entries.map(({ name }) => name)

/** Exported helpers that are not metrics: the sums that metrics are computed from. */
const MACHINERY = ['fsum', 'mean', 'Sum']

it('every exported function has an entry, and every entry an exported function', () => {
  const functions = Object.entries(metrics)
    .filter(([, value]) => typeof value === 'function')
    .map(([name]) => name)
    .filter((name) => !MACHINERY.includes(name))
  expect(names.toSorted()).toEqual(functions.toSorted())
})

it('names are unique and entries complete', () => {
  expect(new Set(names).size).toBe(names.length)
  for (const entry of entries) {
    expect(entry.answers, entry.name).toMatch(/^[A-Z].*[.?]$/)
    for (const field of ['unit', 'range', 'formula'] as const)
      expect(entry[field].trim(), `${entry.name}.${field}`).not.toBe('')
    expect(entry.version, entry.name).toBeGreaterThanOrEqual(1)
  }
})

it('docs/reference/formulas.md is what the registry says; `npm run docs` writes it', async () => {
  const { formulasPage } = await import('../../../scripts/formulas-page.ts')
  const page = readFileSync(new URL('../../../docs/reference/formulas.md', import.meta.url), 'utf8')
  expect(page).toBe(formulasPage())
})

it('a count of passes is given in one form: n, then c, or { n, c }', () => {
  /** Functions that take a table of counts, which has no n. */
  const TABLES = ['fisherExact', 'mcnemar']
  const counting = Object.entries(metrics).flatMap(([name, value]) => {
    if (typeof value !== 'function' || TABLES.includes(name)) return []
    const [, list = ''] = /\(([^)]*)\)/.exec(Function.prototype.toString.call(value)) ?? []
    const parameters = list.split(',').map((one) => one.trim())
    return parameters.includes('c') ? [{ name, parameters }] : []
  })
  expect(counting.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['passAtK', 'wilson', 'flakiness', 'betaBinomialLogPmf', 'stoppedRate']),
  )
  for (const { name, parameters } of counting)
    expect(parameters.indexOf('n'), name).toBe(parameters.indexOf('c') - 1)
})
