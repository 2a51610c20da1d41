/**
 * A scripted agent, so that this example runs anywhere and always the same: no model is asked. It does what an
 * agent does, in the workspace it is started in: looks for skills, reads, writes a file, runs a command, and tells
 * of each step on stdout (docs/guides/agents.md describes these events). What it writes was written beforehand, well and
 * badly; chance, seeded by the number of the trial, says which, and a skill makes the good one likely.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'

const [, , index = '0', prompt = ''] = process.argv
const SKILL = `${process.env.HOME}/.agents/skills/money/SKILL.md`

const SOLUTIONS = {
  total: {
    good: 'export const total = (items) => items.reduce((sum, { price, count }) => sum + price * count, 0)\n',
    bad: 'export const total = (items) => {\n  let sum = 0\n  for (const item of items) sum += (item.price / 100) * item.count\n  return sum * 100\n}\n',
  },
  split: {
    good: 'export function split(amount, people) {\n  const each = Math.floor(amount / people)\n  const left = amount - each * people\n  return Array.from({ length: people }, (_, i) => each + (i < left ? 1 : 0))\n}\n',
    bad: 'export const split = (amount, people) => Array(people).fill(Math.round(amount / people))\n',
  },
  discount: {
    good: 'export function discount(amount, percent) {\n  const left = (amount * (100 - percent)) / 100\n  return Math.sign(left) * Math.round(Math.abs(left))\n}\n',
    bad: 'export const discount = (amount, percent) => amount - Math.floor(amount * (percent / 100))\n',
  },
  print: {
    good: "import { COINS } from './currency.mjs'\n\nexport function print(amount, currency) {\n  if (COINS[currency] === 1) return `${amount} ${currency}`\n  const digits = String(amount).padStart(3, '0')\n  return `${digits.slice(0, -2)}.${digits.slice(-2)} ${currency}`\n}\n",
    bad: 'export const print = (amount, currency) => `${(amount / 100).toFixed(2)} ${currency}`\n',
  },
  convert: {
    good: "import { COINS } from './currency.mjs'\n\nexport function convert(amount, rate, from, to) {\n  const exact = (amount * rate * COINS[to]) / COINS[from]\n  return Math.sign(exact) * Math.round(Math.abs(exact))\n}\n",
    bad: 'export const convert = (amount, rate) => Math.round(amount * rate)\n',
  },
}

const tell = (event) => process.stdout.write(`${JSON.stringify(event)}\n`)
let calls = 0
function use(name, args, work) {
  const id = `call-${++calls}`
  tell({ type: 'tool-call', id, name, args })
  try {
    const text = String(work() ?? '')
    tell({ type: 'tool-result', id, text })
    return text
  } catch (error) {
    tell({ type: 'tool-result', id, text: String(error.message), failed: true })
    return null
  }
}

/** The same for the same words, from 0 to 1. */
function chance(words) {
  let hash = 2166136261
  for (const char of words) hash = Math.imul(hash ^ char.codePointAt(0), 16777619) >>> 0
  hash = Math.imul(hash ^ (hash >>> 15), 2246822507) >>> 0
  return ((hash ^ (hash >>> 13)) >>> 0) / 2 ** 32
}

const [, file = '', job = ''] = /(src\/(\w+)\.mjs)/.exec(prompt) ?? []
tell({ type: 'message', text: `I shall write ${file}.` })
let odds = 0.3
if (existsSync(SKILL)) {
  tell({ type: 'skill', name: 'money' })
  use('read', { path: SKILL }, () => readFileSync(SKILL, 'utf8'))
  odds = 0.85
}
use('read', { path: 'src/currency.mjs' }, () => readFileSync('src/currency.mjs', 'utf8'))
const luck = chance(`${job} ${index}`)
const code = SOLUTIONS[job]?.[luck < odds ? 'good' : 'bad'] ?? ''
use('write', { path: file, text: code }, () => writeFileSync(file, code))
tell({ type: 'file-change', path: file, change: 'added' })
use('run', { command: `node --check ${file}` }, () =>
  execFileSync(process.execPath, ['--check', file]),
)
tell({
  type: 'usage',
  model: 'script',
  input: 900 + 40 * calls,
  output: 30 + code.length,
  usd: 0.002 * calls,
})
tell({ type: 'done', answer: `${file} is there.` })
