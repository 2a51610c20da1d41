/** Tests the documented use of the library: the example of docs/library.md is a file, and it works. */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { compareWithParrot } from '../examples/library.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

it('the example of the library runs a suite and summarises it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'assay-library-'))
  try {
    const suite = join(root, 'suites/short-answers.toml')
    // The report lists the better subject first.
    const [ending, simulated, parrot] = await compareWithParrot(suite, join(folder, 'run'))
    expect(ending).toMatch(/^complete after \d+ trials$/)
    // For one of the cases, the right answer is no.
    expect(parrot).toMatch(/^parrot: 0\.0\d+ \(/)
    expect(simulated).toMatch(/^simulated:pass=0\.8: 0\.[789]\d* \(/)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

it('docs/library.md shows the example as it is', async () => {
  const page = await readFile(join(root, 'docs/library.md'), 'utf8')
  expect(page).toContain(await readFile(join(root, 'examples/library.ts'), 'utf8'))
})
