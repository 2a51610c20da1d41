import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { programVersion } from './program-version.ts'

const folder = mkdtempSync(join(tmpdir(), 'assay-version-test-'))

afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true, force: true })
})

it.runIf(process.platform !== 'win32')(
  'asks an agent that is a script without the programs of the folder that the user works in',
  async () => {
    const script =
      '#!/bin/sh\ncase ":$PATH:" in *node_modules/.bin*|*:.:*) echo theirs;; *) echo 1.2.3;; esac\n'
    const agent = join(folder, 'agent')
    writeFileSync(agent, script, { mode: 0o755 })
    vi.stubEnv('PATH', ['.', resolve('node_modules/.bin'), '/usr/bin'].join(':'))
    expect(await programVersion({ argv: [agent], reads: [] }, {})).toBe('1.2.3')
  },
)
