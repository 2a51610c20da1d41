/** The opener of browsers is a script that starts other programs by name: none may come from the user's folder. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { openBrowser } from './open-browser.ts'

const folder = mkdtempSync(join(tmpdir(), 'assay-open-'))

afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true, force: true })
})

it.runIf(process.platform === 'linux')(
  'finds no program in the folder that the user works in',
  async () => {
    const said = join(folder, 'said')
    const script = `#!/bin/sh\nprintf '%s\\n' "$PWD" "$PATH" "$1" > ${said}.tmp\n/bin/mv ${said}.tmp ${said}\n`
    writeFileSync(join(folder, 'xdg-open'), script, { mode: 0o755 })
    const theirs = resolve('node_modules/.bin')
    vi.stubEnv('PATH', ['.', '', 'node_modules/.bin', theirs, folder, '/usr/bin'].join(':'))
    openBrowser('http://127.0.0.1:1/')
    await vi.waitFor(() => expect(existsSync(said)).toBe(true), { timeout: 10_000 })
    const [cwd, path = '', address] = readFileSync(said, 'utf8').split('\n')
    expect(cwd).toBe('/')
    expect(path.split(':').slice(0, 2)).toEqual([folder, '/usr/bin'])
    expect(path.split(':').filter((one) => !one.startsWith('/') || one === theirs)).toEqual([])
    expect(address).toBe('http://127.0.0.1:1/')
  },
)
