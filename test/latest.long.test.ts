/**
 * Tests `latest` with runs that start at the same time, and with every command that takes a run. See
 * latest.test.ts.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { places, assay, run } from './latest.ts'

describe('latest', () => {
  it('knows every run of those started together', async () => {
    const names = Array.from({ length: 6 }, (_, i) => `r${i}`)
    await Promise.all([...names.map((name) => run(1, ['-o', name])), run(1), run(1)])
    const lines = (await readFile(join(places().project, '.assay', 'runs.jsonl'), 'utf8'))
      .trimEnd()
      .split('\n')
    const folders = lines.map((line) => (JSON.parse(line) as { folder: string }).folder)
    expect(new Set(folders).size).toBe(8)
    expect(folders).toEqual(expect.arrayContaining(names))
    for (const name of names) expect((await assay(['report', name.slice(0, 2)])).code, name).toBe(0)
  })
})

describe('the run that is meant', () => {
  it('is named by every command that takes one, and stdout has only data', async () => {
    await run(1, ['-o', 'first'])
    const is = (name: string, folder: string): string =>
      `${name} is ${folder}, started some time ago, complete with 1 trial\n`
    for (const [name, alias] of [
      ['latest', 'latest'],
      ['fir', '"fir"'],
    ] as const) {
      const json = await assay(['report', name, '--json'])
      expect(json.stderr).toBe(is(alias, 'first'))
      expect(JSON.parse(json.stdout)).toHaveProperty('assay', 'report')
      const shown = await assay(['show', name, '--json'])
      expect(shown.stderr).toBe(is(alias, 'first'))
      expect(JSON.parse(shown.stdout)).toHaveProperty('cases')
      const blessed = await assay(['bless', name])
      expect(blessed.stderr).toContain(is(alias, 'first'))
      expect(blessed.stdout).toMatch(/^blessed {3}first$/m)
      const compared = await assay([
        'compare',
        '--baseline',
        name,
        '--current',
        name,
        '--format',
        'json',
      ])
      expect(compared.stderr.split(is(alias, 'first'))).toHaveLength(2)
      expect(JSON.parse(compared.stdout)).toMatchObject({
        baseline: { name: 'first' },
        current: { name: 'first' },
      })
      const resumed = await assay(['run', '--resume', name])
      expect(resumed.stderr).toContain(is(alias, 'first'))
      const dry = await assay(['run', '--regrade', name, '--dry-run'])
      expect(dry.stderr).toContain(is(alias, 'first'))
      const replayed = await assay(['run', 'suite.json', '-m', `replay:${name}`, '--dry-run'])
      expect(replayed.stderr).toContain(is(alias, 'first'))
    }
    const byFolder = await assay(['report', 'first', '--json'])
    expect(byFolder.stderr).toBe('')
    await writeFile(join(places().project, 'assay.toml'), '[subjects.again]\nreplay = "latest"\n')
    const named = await assay(['run', 'suite.json', '-m', 'again', '--dry-run'])
    expect(named.stderr).toContain(is('latest', 'first'))
    expect((await assay(['compare'])).stderr).toContain(is('latest', 'first'))
    expect((await assay(['run', '--resume'])).stderr).toContain(is('latest', 'first'))
  })
})
