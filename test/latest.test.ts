/**
 * `latest` is the run that was started last, wherever its folder is. If a command gets a run by another name than
 * its folder, it says which run that is.
 *
 * These code paths were checked through the command:
 * - Commands: report, show, compare (both sides, and its default), bless, run --resume (with and without a name),
 *   run --regrade, replay:latest on the command line and in a named subject of assay.toml. analyze takes only
 *   files.
 * - Runs: in the runs folder, with -o inside and outside of the project, with `output` of assay.toml and of a run
 *   file, of another project, started at the same time, and moved, removed or continued.
 * - The list of runs: missing, damaged, or impossible to write.
 */
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { places, makeProject, assay, run, latest } from './latest.ts'

describe('latest', () => {
  it('is a run made with -o, inside the places().project and outside of it', async () => {
    await run(0)
    await run(1, ['-o', 'out/inside'])
    expect(await latest()).toBe(join('out', 'inside'))
    await run(1, ['-o', '../outside'])
    expect(await latest()).toBe(join(places().root, 'outside'))
    const lines = (await readFile(join(places().project, '.assay', 'runs.jsonl'), 'utf8'))
      .trimEnd()
      .split('\n')
    const folders = lines.map((line) => (JSON.parse(line) as { folder: string }).folder)
    expect(folders.slice(1)).toEqual([join('out', 'inside'), join(places().root, 'outside')])
    expect(basename(folders[0] ?? '')).toMatch(/^\d{8}-\d{6}-one$/)
  })

  it('is a run below the folder that assay.toml or a run file names', async () => {
    await run(1)
    await writeFile(join(places().project, 'nightly.toml'), 'output = "nightly"\n')
    await run(1, ['--config', 'nightly.toml'])
    expect(await latest()).toMatch(/^nightly\//)
    await writeFile(join(places().project, 'assay.toml'), 'output = "results"\n')
    expect(await latest()).toMatch(/^nightly\//)
    await run(1)
    expect(await latest()).toMatch(/^results\//)
    await rm(join(places().project, '.assay', 'runs.jsonl'))
    expect(await latest()).toMatch(/^results\//)
  })

  it('is the one started last, not the one continued last', async () => {
    await run(1, ['-o', 'a'])
    await run(1, ['-o', 'b'])
    expect((await assay(['run', '--resume', 'a', '-n', '2'])).code).toBe(0)
    expect(await latest()).toBe('b')
    const list = await readFile(join(places().project, '.assay', 'runs.jsonl'), 'utf8')
    expect(list.trimEnd().split('\n')).toHaveLength(2)
  })

  it('passes over runs that are gone, and finds one that was moved once it is continued', async () => {
    for (const name of ['a', 'b', 'c']) await run(1, ['-o', name])
    await rm(join(places().project, 'c'), { recursive: true })
    expect(await latest()).toBe('b')
    await rename(join(places().project, 'b'), join(places().root, 'moved'))
    expect(await latest()).toBe('a')
    expect((await assay(['run', '--resume', '../moved'])).code).toBe(0)
    expect(await latest()).toBe(join(places().root, 'moved'))
  })

  it('is of this places().project alone', async () => {
    const other = await makeProject('other')
    await run(1, ['-o', '../shared/mine'])
    await run(1, ['-o', '../shared/theirs'], other)
    expect(await latest()).toBe(join(places().root, 'shared', 'mine'))
    expect(await latest(other)).toBe(join(places().root, 'shared', 'theirs'))
  })

  it('is neither a folder nor a file that is called so', async () => {
    await run(0)
    const mine = (await latest()) ?? ''
    await run(1, ['-o', 'latest'])
    await rm(join(places().project, '.assay', 'runs.jsonl'))
    expect(await latest()).toBe(mine)
    const report = await assay(['report', './latest', '--json'])
    expect(report.code).toBe(0)
    await rm(join(places().project, 'latest'), { recursive: true })
    for (const name of ['latest', 'latest#simulated:pass=0'])
      await writeFile(join(places().project, name), report.stdout)
    for (const typed of ['latest', 'latest#simulated:pass=0']) {
      const { stderr } = await assay(['compare', '--baseline', typed, '--current', mine])
      expect(stderr).toContain(`latest is ${mine}`)
    }
  })

  it('works without a list that can be written or read, and the run says so', async () => {
    await writeFile(join(places().project, '.assay'), 'a file where the folder should be')
    const { stderr } = await run(1, ['-o', 'out'])
    expect(stderr).toMatch(
      /^warning: cannot add this run to .assay\/runs.jsonl: .*name it by its folder/m,
    )
    const none = await assay(['report'])
    expect(none.code).toBe(2)
    expect(none.stderr).toContain('there is no run under')
    await rm(join(places().project, '.assay'))
    await run(1)
    await writeFile(
      join(places().project, '.assay', 'runs.jsonl'),
      '{"id":"x","folder":"/etc"}\n\u0000{]',
    )
    expect(await latest()).toMatch(/^\.assay\/runs\//)
  })
})

describe('the run that is meant', () => {
  it('is one that failed, where that was the last, and compare shows it', async () => {
    await run(1, ['-o', 'good'])
    const failed = await assay(['run', 'suite.json', '-m', 'command:./missing', '-o', 'broken'])
    expect(failed.code).toBe(3)
    const { stderr } = await assay(['compare', '--baseline', 'good'])
    expect(stderr).toMatch(
      /^latest is broken, started some time ago, failed with 1 of 1 trial recorded$/m,
    )
    expect(await readdir(join(places().project, '.assay'))).toEqual(['runs.jsonl'])
  })
})
