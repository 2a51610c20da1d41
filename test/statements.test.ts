/**
 * Checks docs/reference/statements.md, which lists statements about the outputs. For each statement, the page names a place
 * and a test. A place is a link (docs.test.ts checks it) or code such as a flag. A test is a file of this
 * repository and, after a colon, the start of the test's name as it is written in that file. The file and the name
 * must exist.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const page = await readFile(join(root, 'docs/reference/statements.md'), 'utf8')

const rows = page
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| statement |'))
  .map((line) => line.slice(2, -2).split(' | '))

it('lists every statement with a place and a test', () => {
  expect(rows.length).toBeGreaterThan(40)
  for (const cells of rows) {
    expect(cells, cells[0]).toHaveLength(3)
    expect(cells.slice(1), cells[0]).not.toContain('–')
  }
})

it('names tests that exist', async () => {
  const missing: string[] = []
  for (const [statement = '', , tests = ''] of rows)
    for (const [, file = '', name = ''] of tests.matchAll(/`([^`]+\.test\.ts)`(?:: "([^"]+)")?/g)) {
      const text = await readFile(join(root, file), 'utf8').catch(() => null)
      if (text === null || !text.includes(name)) missing.push(`${statement}: ${file} ${name}`)
    }
  expect(missing).toEqual([])
})
