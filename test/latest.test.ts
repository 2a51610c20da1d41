/**
 * `latest` is the run that was started last, wherever its folder is, and every command that is given a run by
 * another name than its folder says which run that is.
 *
 * Related code paths that were checked, each through the command: report, show, compare (both sides, and its
 * default), bless, run --resume (with and without a name), run --regrade, replay:latest on the command line and
 * in a named subject of assay.toml. analyze takes files alone. Runs in the runs folder, with -o inside and
 * outside the project, with `output` of assay.toml and of a run file, of another project, started at the same
 * time; a list that is missing, damaged or cannot be written; runs that are moved, removed, continued.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const command = fileURLToPath(new URL('../packages/assay/bin/assay.js', import.meta.url))

const SUITE = {
  id: 'one',
  cases: [
    {
      id: 'yes',
      prompt: 'Answer with: yes',
      reference: 'yes',
      faulty: ['no'],
      graders: [{ type: 'equals', value: 'yes' }],
    },
  ],
}

let root: string
let project: string

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'assay-latest-'))
  project = await makeProject('project')
})
afterEach(() => rm(root, { recursive: true, force: true }))

async function makeProject(name: string): Promise<string> {
  const folder = join(root, name)
  await mkdir(folder)
  await writeFile(join(folder, 'suite.json'), JSON.stringify(SUITE))
  return folder
}

interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

async function assay(args: readonly string[], cwd: string = project): Promise<Ended> {
  const { HOME, PATH } = process.env
  const child = spawn(process.execPath, [command, ...args], {
    cwd,
    env: { HOME, PATH },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 60_000,
    killSignal: 'SIGKILL',
  })
  const text = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text.stdout += chunk))
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (text.stderr += chunk))
  const [code] = await once(child, 'close')
  // How long ago depends on the machine.
  const stderr = text.stderr.replaceAll(/, started [\w ,]+? ago,/g, ', started some time ago,')
  return { code: code as number | null, stdout: text.stdout, stderr }
}

async function run(pass: number, args: readonly string[] = [], cwd?: string): Promise<Ended> {
  const ended = await assay(['run', 'suite.json', '-m', `simulated:pass=${pass}`, ...args], cwd)
  expect(ended.code, ended.stderr).toBe(0)
  return ended
}

const LATEST = /^latest is (.*), started some time ago, complete with 1 trial$/m

async function latest(cwd?: string): Promise<string | undefined> {
  return LATEST.exec((await assay(['report'], cwd)).stderr)?.[1]
}

describe('latest', () => {
  it('is a run made with -o, inside the project and outside of it', async () => {
    await run(0)
    await run(1, ['-o', 'out/inside'])
    expect(await latest()).toBe(join('out', 'inside'))
    await run(1, ['-o', '../outside'])
    expect(await latest()).toBe(join(root, 'outside'))
    const lines = (await readFile(join(project, '.assay', 'runs.jsonl'), 'utf8'))
      .trimEnd()
      .split('\n')
    const folders = lines.map((line) => (JSON.parse(line) as { folder: string }).folder)
    expect(folders.slice(1)).toEqual([join('out', 'inside'), join(root, 'outside')])
    expect(basename(folders[0] ?? '')).toMatch(/^\d{8}-\d{6}-one$/)
  })

  it('is a run below the folder that assay.toml or a run file names', async () => {
    await run(1)
    await writeFile(join(project, 'nightly.toml'), 'output = "nightly"\n')
    await run(1, ['--config', 'nightly.toml'])
    expect(await latest()).toMatch(/^nightly\//)
    await writeFile(join(project, 'assay.toml'), 'output = "results"\n')
    expect(await latest()).toMatch(/^nightly\//)
    await run(1)
    expect(await latest()).toMatch(/^results\//)
    await rm(join(project, '.assay', 'runs.jsonl'))
    expect(await latest()).toMatch(/^results\//)
  })

  it('is the one started last, not the one continued last', async () => {
    await run(1, ['-o', 'a'])
    await run(1, ['-o', 'b'])
    expect((await assay(['run', '--resume', 'a', '-n', '2'])).code).toBe(0)
    expect(await latest()).toBe('b')
    const list = await readFile(join(project, '.assay', 'runs.jsonl'), 'utf8')
    expect(list.trimEnd().split('\n')).toHaveLength(2)
  })

  it('passes over runs that are gone, and finds one that was moved once it is continued', async () => {
    for (const name of ['a', 'b', 'c']) await run(1, ['-o', name])
    await rm(join(project, 'c'), { recursive: true })
    expect(await latest()).toBe('b')
    await rename(join(project, 'b'), join(root, 'moved'))
    expect(await latest()).toBe('a')
    expect((await assay(['run', '--resume', '../moved'])).code).toBe(0)
    expect(await latest()).toBe(join(root, 'moved'))
  })

  it('is of this project alone', async () => {
    const other = await makeProject('other')
    await run(1, ['-o', '../shared/mine'])
    await run(1, ['-o', '../shared/theirs'], other)
    expect(await latest()).toBe(join(root, 'shared', 'mine'))
    expect(await latest(other)).toBe(join(root, 'shared', 'theirs'))
  })

  it('knows every run of those started together', async () => {
    const names = Array.from({ length: 6 }, (_, i) => `r${i}`)
    await Promise.all([...names.map((name) => run(1, ['-o', name])), run(1), run(1)])
    const lines = (await readFile(join(project, '.assay', 'runs.jsonl'), 'utf8'))
      .trimEnd()
      .split('\n')
    const folders = lines.map((line) => (JSON.parse(line) as { folder: string }).folder)
    expect(new Set(folders).size).toBe(8)
    expect(folders).toEqual(expect.arrayContaining(names))
    for (const name of names) expect((await assay(['report', name.slice(0, 2)])).code, name).toBe(0)
  })

  it('works without a list that can be written or read, and the run says so', async () => {
    await writeFile(join(project, '.assay'), 'a file where the folder should be')
    const { stderr } = await run(1, ['-o', 'out'])
    expect(stderr).toMatch(
      /^warning: cannot add this run to .assay\/runs.jsonl: .*name it by its folder/m,
    )
    const none = await assay(['report'])
    expect(none.code).toBe(2)
    expect(none.stderr).toContain('there is no run under')
    await rm(join(project, '.assay'))
    await run(1)
    await writeFile(join(project, '.assay', 'runs.jsonl'), '{"id":"x","folder":"/etc"}\n\u0000{]')
    expect(await latest()).toMatch(/^\.assay\/runs\//)
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
    await writeFile(join(project, 'assay.toml'), '[subjects.again]\nreplay = "latest"\n')
    const named = await assay(['run', 'suite.json', '-m', 'again', '--dry-run'])
    expect(named.stderr).toContain(is('latest', 'first'))
    expect((await assay(['compare'])).stderr).toContain(is('latest', 'first'))
    expect((await assay(['run', '--resume'])).stderr).toContain(is('latest', 'first'))
  })

  it('is one that failed, where that was the last, and compare shows it', async () => {
    await run(1, ['-o', 'good'])
    const failed = await assay(['run', 'suite.json', '-m', 'command:./missing', '-o', 'broken'])
    expect(failed.code).toBe(3)
    const { stderr } = await assay(['compare', '--baseline', 'good'])
    expect(stderr).toMatch(
      /^latest is broken, started some time ago, failed with 1 of 1 trial recorded$/m,
    )
    expect(await readdir(join(project, '.assay'))).toEqual(['runs.jsonl'])
  })
})
