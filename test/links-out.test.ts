/**
 * Links of an untrusted folder that lead out of it, at the paths that its user types: nothing is written, changed or
 * deleted there, and no error quotes a file there. packages/assay/src/trust/root.test.ts tests the kinds of links and
 * lists the code paths that were checked.
 */
import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { PLAIN, SIMULATED, untrustedFolder } from './untrusted-folder.ts'

const evil = untrustedFolder()
const SECRET = 's3cret-words-of-the-victim'
const REFUSED = 'leads out of this repository through a link'
const out = (): string => join(evil.parent, 'out')

beforeEach(async () => {
  await mkdir(out())
  await evil.write({ 'suite.toml': PLAIN })
  await symlink(out(), join(evil.path, 'link'))
})

async function refuses(...args: readonly string[]): Promise<void> {
  const { code, said } = await evil.assay(args)
  expect(said, args.join(' ')).toContain(REFUSED)
  expect(said).not.toContain(SECRET)
  expect(code).not.toBe(0)
}

it('are not written through', async () => {
  const made = await evil.assay(['run', 'suite.toml', ...SIMULATED, '-o', 'run', '--shard', '1/1'])
  expect(made.code, made.said).toBe(0)
  const run = ['run', 'suite.toml', ...SIMULATED]
  for (const folder of ['link', 'link/', 'link/new']) {
    await refuses(...run, '-o', folder)
    await refuses('merge', 'run', '-o', folder)
    await refuses('view', '--export', folder)
    await refuses('report', 'run', '--judgments', folder)
    await refuses('init', folder)
  }
  await refuses(...run, '--report', 'link/x.html')
  await refuses(...run, '--queue', 'redis://127.0.0.1:1', '--store', 'link')
  await refuses('merge', 'run', '--report', 'link/x.html')
  await refuses('report', 'run', '--report', 'link/x.html')
  await refuses('compare', '--baseline', 'run', '--current', 'run', '--report', 'link/x.md')
  await refuses('bless', 'run', '--allow-partial', '--output', 'link/base.json')
  expect(await readdir(out())).toEqual([])
})

it('are not where a merged run goes because assay.toml says so', async () => {
  const made = await evil.assay(['run', 'suite.toml', ...SIMULATED, '-o', 'run', '--shard', '1/1'])
  expect(made.code, made.said).toBe(0)
  for (const output of ['../out', 'link']) {
    await evil.write({ 'assay.toml': `output = "${output}"\n` })
    const { code, said } = await evil.assay(['merge', 'run'])
    expect(said).toContain('is outside of this repository, which is not trusted with that')
    expect(code).toBe(2)
  }
  expect(await readdir(out())).toEqual([])
})

it('are no runs to change', async () => {
  const made = await evil.assay(['run', 'suite.toml', ...SIMULATED, '-o', 'run'])
  expect(made.code, made.said).toBe(0)
  await cp(join(evil.path, 'run'), join(out(), 'run'), { recursive: true })
  const before = await readdir(join(out(), 'run'))
  const record = await readFile(join(out(), 'run', 'run.json'), 'utf8')
  await refuses('run', '--resume', 'link/run', '--trials', '2')
  await refuses('runs', 'tag', 'link/run', '+mine')
  await refuses('runs', 'delete', 'link/run', '--yes')
  await refuses('view', 'link', '--no-open', '--port', '0')
  expect(await readdir(join(out(), 'run'))).toEqual(before)
  expect(await readFile(join(out(), 'run', 'run.json'), 'utf8')).toBe(record)
})

it('are no files that an error quotes', async () => {
  const made = await evil.assay(['run', 'suite.toml', ...SIMULATED, '-o', 'run'])
  expect(made.code, made.said).toBe(0)
  await writeFile(join(out(), 'secret'), `${SECRET} and more\n`)
  for (const end of ['toml', 'yaml', 'json', 'jsonl', 'csv'])
    await symlink(join(out(), 'secret'), join(evil.path, `s.${end}`))
  await refuses('label', 'run', '--import', 's.json')
  await refuses('report', 'run', '--gates', 's.toml')
  await refuses('run', 'suite.toml', ...SIMULATED, '--config', 's.toml')
  await refuses('run', 'suite.toml', ...SIMULATED, '--prices', 's.toml')
  for (const file of ['s.toml', 's.yaml', 's.json', 's.jsonl', 's.csv', 'link/secret']) {
    await refuses('run', file, ...SIMULATED)
    await refuses('validate', file)
    await refuses('analyze', file)
    await refuses('trust', file)
  }
  await evil.write({ 'assay.toml': 'suites = "s.json"\n' })
  await refuses('run', ...SIMULATED)
})
