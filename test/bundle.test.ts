/**
 * Tests the bundle of the command: the files that it needs outside of itself exist, and the licences of bundled
 * packages are included.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const assay = new URL('../packages/assay/', import.meta.url)
const folder = new URL('dist/command/', assay)
const require = createRequire(new URL('package.json', assay))
const chunks = readdirSync(folder).filter((name) => name.endsWith('.js'))
const text = (name: string): string => readFileSync(new URL(name, folder), 'utf8')

describe('the bundled command', () => {
  it('keeps the address of every module that names a file next to itself', () => {
    const own = /new URL\("(\.\.\/\.\.\/[^"]+)", import\.meta\.url\)\.href/g
    const others = /new URL\("([^"]+)", import\.meta\.resolve\("(@assay\/\w+)"\)\)\.href/g
    const addresses = chunks.flatMap((name) => [
      ...[...text(name).matchAll(own)].map(([, path = '']) => new URL(path, folder)),
      ...[...text(name).matchAll(others)].map(
        ([, path = '', from = '']) => new URL(path, `file://${require.resolve(from)}`),
      ),
    ])
    const names = addresses.map((address) => fileURLToPath(address))
    expect(names.filter((name) => !existsSync(name))).toEqual([])
    for (const known of ['grade/worker/threads.js', 'bubblewrap/agent-mounts.js', 'rust/rust.js'])
      expect(names.filter((name) => name.endsWith(known))).not.toEqual([])
  })

  it('loads few files for what is only looked at', () => {
    const seen = new Set<string>()
    const load = (name: string): void => {
      if (seen.has(name)) return
      seen.add(name)
      for (const [, next = ''] of text(name).matchAll(/^import .*?"\.\/([^"]+)";$/gm)) load(next)
    }
    load('environment.js')
    load('main.js')
    expect(seen.size).toBeGreaterThan(2)
    expect(seen.size).toBeLessThan(25)
    expect([...seen].filter((name) => /^(?:run|suite|grade|schemas)-/.test(name))).toEqual([])
  })

  it('comes with the licence of every package in it', () => {
    const licences = text('LICENSES.txt')
    for (const name of ['commander', 'zod', 'smol-toml', 'picocolors'])
      expect(licences).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+$`, 'm'))
  })
})
