import { randomUUID } from 'node:crypto'
import { symlinkSync } from 'node:fs'
import { join, relative } from 'node:path'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { fakeCall, fakeDiff, fakeTrajectory } from '../../../test/fakes.ts'
import { gradedWorkspace, judged } from '../../../test/grade-answer.ts'
import { carrying } from '../../../../sandbox/test/sandboxed.ts'
import { suiteFolder } from '../../../test/suite-folder.ts'
import { closeGraders, graderByType, GraderTimeout } from '../index.ts'

afterAll(closeGraders)

/** Returns the output of a Node program for an answer. */
async function program(source: string, answer: string, options: object = {}) {
  const folder = await suiteFolder({ 'check.mjs': source })
  const command = [process.execPath, 'check.mjs']
  return await judged('program', { command, ...options }, answer, { folder })
}

const READING = `
let text = ''
for await (const part of process.stdin) text += part
const graded = JSON.parse(text)
`

describe('program', () => {
  it('reads the answer with its case as JSON and prints a judgement', async () => {
    const source = `${READING}
const passed = graded.answer.length <= graded.options.most
console.log(JSON.stringify({ score: passed ? 1 : 0.25, passed, reason: graded.case.id, facts: { version: graded.version } }))`
    expect(await program(source, 'short', { options: { most: 5 } })).toEqual({
      score: 1,
      passed: true,
      reason: 'c',
      facts: { version: 1 },
    })
    expect(await program(source, 'too long', { options: { most: 5 } })).toMatchObject({
      score: 0.25,
      passed: false,
    })
  })

  it('reads what an agent did and changed', async () => {
    const source = `${READING}
const { trajectory, diff } = graded
const reason = [trajectory.steps[0].name, diff.changes[0].path, 'workspace' in graded].join()
console.log(JSON.stringify({ score: 1, passed: true, reason }))`
    const folder = await suiteFolder({ 'check.mjs': source })
    const judgement = await judged('program', { command: [process.execPath, 'check.mjs'] }, 'x', {
      folder,
      trajectory: fakeTrajectory([fakeCall('Bash')]),
      diff: fakeDiff({ 'a.txt': 'new' }),
      workspace: gradedWorkspace({}),
    })
    expect(judgement.reason).toBe('Bash,a.txt,false')
  })

  it('runs in the suite’s folder, without the keys of this process', async () => {
    process.env['ASSAY_TEST_API_KEY'] = 'sesame-sesame'
    const source = `import { existsSync } from 'node:fs'
const reason = JSON.stringify([existsSync('check.mjs'), process.env.ASSAY_TEST_API_KEY ?? null])
console.log(JSON.stringify({ score: 1, passed: true, reason }))`
    expect((await program(source, 'x')).reason).toBe('[true,null]')
  })

  it.each([
    [
      'ends with an error',
      `console.error('no \\u001b[2J way'); process.exit(3)`,
      'exit code 3; stderr: no',
    ],
    ['prints no JSON', `console.log('passed')`, 'expected JSON, printed passed'],
    ['prints nothing', ``, 'printed nothing'],
    ['prints no judgement', `console.log('{"score":1}')`, 'passed must be true, false or null'],
    ['prints a score out of range', `console.log('{"score":-1,"passed":true}')`, 'score must be'],
    [
      'prints without end',
      `for (;;) await new Promise((next) => process.stdout.write('x'.repeat(65536), next))`,
      'more than 1048576 bytes',
    ],
  ])('is at fault where it %s', async (_, source, why) => {
    const failure = await program(source, 'x').catch((error: unknown) => error as Error)
    expect(failure).toBeInstanceOf(Error)
    expect(failure).not.toBeInstanceOf(GraderTimeout)
    const { message } = failure as Error
    expect(message).toContain('again on the same answer')
    expect(message).toContain(why)
    // oxlint-disable-next-line no-control-regex
    expect(message).not.toMatch(/[\u0000-\u001f]/)
  })

  it('is at fault where it is missing', async () => {
    const folder = await suiteFolder()
    const options = { command: ['./no-such-program'] }
    await expect(judged('program', options, 'x', { folder })).rejects.toThrow(
      'there is no program "./no-such-program" in the folder of the suite: install it, or correct command',
    )
  })

  it('is ended at its deadline with all that it started', async () => {
    const word = `started-${randomUUID()}`
    const source = `import { spawn } from 'node:child_process'
const words = ['-e', 'setInterval(() => {}, 1000)', ${JSON.stringify(word)}]
spawn(process.execPath, words, { stdio: 'ignore', detached: true })
process.on('SIGTERM', () => {})
setInterval(() => {}, 1000)`
    const ended = program(source, 'x', { timeout: '1s' }).catch((error: unknown) => error)
    await vi.waitFor(() => expect(carrying(word)).toHaveLength(1), { timeout: 900, interval: 50 })
    expect(await ended).toBeInstanceOf(GraderTimeout)
    expect(carrying(word)).toEqual([])
  })

  it('has the files that its command names in its options, by their hashes', async () => {
    const folder = await suiteFolder({ 'check.py': 'x', 'other.py': 'y' })
    const grader = graderByType('program')
    const given = grader?.options.parse({ command: ['python3', './check.py', '/etc/hostname'] })
    const resolved = await grader?.resolve?.(given, folder)
    expect(resolved).toMatchObject({
      options: {
        sha256: { 'check.py': '2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881' },
      },
    })
    const pinned = grader?.options.parse({
      command: ['./check.py'],
      sha256: { 'check.py': 'f'.repeat(64) },
    })
    expect(await grader?.resolve?.(pinned, folder)).toMatchObject({
      faults: [{ path: ['sha256', 'check.py'] }],
    })
  })
})

/**
 * These code paths were checked: a relative path, an absolute path, a link, an untrusted folder, Node, and the
 * system’s programs.
 */
describe('a sandboxed program', () => {
  it('is of the repository or of the system, and no other file of the user’s', async () => {
    const outside = await suiteFolder({ 'deploy.sh': '#!/bin/sh\n' })
    const folder = await suiteFolder({ 'check.sh': '#!/bin/sh\n' })
    symlinkSync(join(outside, 'deploy.sh'), join(folder, 'link.sh'))
    const grader = graderByType('program')
    const asked = async (first: string, sandbox: object): Promise<string> => {
      const options = grader?.options.parse({ command: [first], ...sandbox })
      return JSON.stringify(
        await grader?.resolve?.(options, folder, { how: 'check', sandboxGraders: true }),
      )
    }
    const others = [`${outside}/deploy.sh`, relative(folder, `${outside}/deploy.sh`), './link.sh']
    for (const sandbox of [{ sandbox: true }, {}]) {
      for (const first of others)
        expect(await asked(first, sandbox)).toContain('not a program that the sandbox shows')
      for (const first of ['./check.sh', '/bin/sh', process.execPath, 'sh'])
        expect(await asked(first, sandbox)).not.toContain('faults')
    }
  })
})
