/** Runs on a disk that is full, read-only or fails. */
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fakeSubject, fakeSuite, saying } from '../../test/fakes.ts'
import { RunError, UsageError } from '@assay/contract'
import { readTrials } from '../log/index.ts'
import { run } from './run.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-disk-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const isRoot = process.getuid?.() === 0

/** Gives the disk time to report an error before the next answer. */
const turn = () => new Promise((resolve) => setTimeout(resolve, 2))

/** Mounting needs privileges. Without them, the test is skipped. */
const canMount =
  isRoot && process.platform === 'linux' && spawnSync('unshare', ['--mount', 'true']).status === 0

describe('a full disk', () => {
  it.skipIf(!canMount)('ends the run with a clear error and keeps what was recorded', async () => {
    const mount = join(folder, 'small')
    mkdirSync(mount)
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', mount])
    try {
      const subject = fakeSubject(async () => {
        await turn()
        return saying('right '.repeat(400))
      })
      const path = join(mount, 'run')
      const failure = await run({
        suites: [fakeSuite(20)],
        subjects: [subject],
        folder: path,
        trials: 200,
      }).catch((error: unknown) => error)
      expect(failure).toBeInstanceOf(RunError)
      expect((failure as RunError).message).toContain('no space left on the disk')
      let trials = 0
      const { damaged } = await readTrials(path, () => trials++)
      expect(damaged).toBe(0)
      expect(trials).toBeGreaterThan(0)
      expect(readFileSync(join(path, 'trials.jsonl'), 'utf8').endsWith('\n')).toBe(true)
    } finally {
      execFileSync('umount', [mount])
    }
  })
})

describe('a run folder that goes away', () => {
  it('ends the run with a clear error', async () => {
    const path = join(folder, 'run')
    const subject = fakeSubject(async ({ index }) => {
      await turn()
      if (index === 1) rmSync(path, { recursive: true, force: true })
      return saying('wrong')
    })
    await expect(
      run({ suites: [fakeSuite(4)], subjects: [subject], folder: path, trials: 50 }),
    ).rejects.toThrow(/deleted|not there/)
    expect(subject.asked.length).toBeLessThan(200)
  })
})

describe('a folder that cannot be written', () => {
  // Root can write to every folder, except on a read-only file system.
  it.skipIf(isRoot && !canMount)('is refused before anything is asked', async () => {
    const locked = join(folder, 'locked')
    mkdirSync(locked)
    if (isRoot) execFileSync('mount', ['-t', 'tmpfs', '-o', 'ro', 'tmpfs', locked])
    else chmodSync(locked, 0o500)
    try {
      const subject = fakeSubject(() => saying('right'))
      const path = join(locked, 'deep', 'run')
      await expect(
        run({ suites: [fakeSuite(1)], subjects: [subject], folder: path }),
      ).rejects.toThrow(UsageError)
      expect(subject.asked).toHaveLength(0)
    } finally {
      if (isRoot) execFileSync('umount', [locked])
    }
  })

  it.skipIf(process.platform !== 'linux')(
    'is refused where no folder can be made at all',
    async () => {
      const subject = fakeSubject(() => saying('right'))
      const options = { suites: [fakeSuite(1)], subjects: [subject], folder: '/proc/assay/run' }
      await expect(run(options)).rejects.toThrow('cannot make the run folder')
    },
  )
})

describe('the command’s exit code', () => {
  const command = new URL('../../bin/assay.js', import.meta.url).pathname
  const suite = {
    id: 'disk',
    cases: [{ id: 'a', prompt: 'x', graders: [{ type: 'contains', value: 'y' }] }],
  }
  const assay = (output: string, shell: string) => {
    writeFileSync(join(folder, 'suite.json'), JSON.stringify(suite))
    const args = [
      'run',
      'suite.json',
      '-n',
      '400',
      '-p',
      '1',
      '-o',
      output,
      '-m',
      `command:sh -c '${shell}'`,
    ]
    return spawnSync(process.execPath, [command, ...args], {
      cwd: folder,
      encoding: 'utf8',
      timeout: 50_000,
    })
  }
  const mounted = (options: string, work: (mount: string) => void): void => {
    const mount = join(folder, 'mount')
    mkdirSync(mount)
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', mount])
    try {
      work(mount)
    } finally {
      execFileSync('umount', [mount])
    }
  }

  it.skipIf(!canMount)('is 3 on a full disk, and what was logged is there', async () => {
    const logged: string[] = []
    mounted('size=192k', (mount) => {
      const { status, stderr } = assay(join(mount, 'run'), 'head -c 3000 /dev/zero | tr "\\0" y')
      expect(stderr).toContain('no space left on the disk')
      expect(status).toBe(3)
      logged.push(
        ...readFileSync(join(mount, 'run', 'trials.jsonl'), 'utf8')
          .trimEnd()
          .split('\n'),
      )
    })
    expect(logged.length).toBeGreaterThan(1)
    for (const line of logged) expect(() => JSON.parse(line)).not.toThrow()
  })

  it('is 3 where the folder is removed meanwhile', () => {
    const { status, stderr } = assay('gone', 'rm -rf ../gone gone; echo y')
    expect(stderr).toMatch(/deleted|not there/)
    expect(status).toBe(3)
  })

  it.skipIf(!canMount)('is 2 on a read-only disk, where nothing has started', () => {
    mounted('ro', (mount) => {
      const { status, stderr } = assay(join(mount, 'run'), 'echo y')
      expect(stderr).toContain('cannot make the run folder')
      expect(status).toBe(2)
    })
  })
})
