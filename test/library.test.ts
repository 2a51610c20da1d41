/** Tests the documented use of the library: the example of docs/reference/library.md is a file, and it works. */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { compareWithParrot } from '../examples/library.ts'

const execute = promisify(execFile)
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

it('docs/reference/library.md shows the example as it is', async () => {
  const page = await readFile(join(root, 'docs/reference/library.md'), 'utf8')
  expect(page).toContain(await readFile(join(root, 'examples/library.ts'), 'utf8'))
})

it('the program of docs/reference/library.md runs as printed', async () => {
  const page = await readFile(join(root, 'docs/reference/library.md'), 'utf8')
  const program = /<!-- file: object\.mjs -->\n+```js\n([^]*?)```/.exec(page)?.[1] ?? ''
  // Below the repository, the program finds the package.
  const folder = await mkdtemp(join(root, 'node_modules/.assay-docs-'))
  try {
    await writeFile(join(folder, 'object.mjs'), program)
    const { stdout } = await execute(process.execPath, ['object.mjs'], { cwd: folder })
    expect(stdout).toBe('right 2\nwrong 0\nthe gate holds: true\ncompared: 0\n')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
