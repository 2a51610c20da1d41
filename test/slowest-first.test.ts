import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { SLOWEST } from './slowest-first.ts'

it('the list of slow test files names files that exist, each once', () => {
  const missing = SLOWEST.filter(
    (name) => !existsSync(fileURLToPath(new URL(`../${name}`, import.meta.url))),
  )
  expect(missing).toEqual([])
  expect(new Set(SLOWEST).size).toBe(SLOWEST.length)
})
