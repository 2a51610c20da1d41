import { chmodSync, existsSync, lchownSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { fakeCase } from '../../../test/fakes.ts'
import { gradedWorkspace, judged, refusal } from '../../../test/grade-answer.ts'
import { hasBubblewrap } from '../../../../sandbox/test/sandboxed.ts'
import { openSandbox, SandboxError, type Sandbox } from '@assay/sandbox'
import { closeGraders, type GraderInput, type GraderOutput } from '../index.ts'

const sandbox = await openSandbox(hasBubblewrap ? 'bubblewrap' : 'none')
afterAll(async () => {
  await closeGraders()
  await sandbox.close()
})

const run = (
  options: object,
  answer: string,
  change: Partial<GraderInput> = {},
): Promise<GraderOutput> => judged('run', options, answer, change, { sandbox })

/** Gives the folder to the sandbox's user, as the code that creates shared folders does. */
function giveAway(folder: string, to: Sandbox): void {
  const owner = to.newOwner()
  if (owner === null) return
  for (const path of ['.', ...readdirSync(folder, { recursive: true, encoding: 'utf8' })])
    lchownSync(join(folder, path), owner.uid, owner.gid)
  chmodSync(folder, 0o700)
}

/** A workspace whose copies belong to the sandbox's user. */
const ofSandbox = (files: Readonly<Record<string, string>>, to: Sandbox) => ({
  ...gradedWorkspace(files),
  async lay() {
    const copy = await gradedWorkspace(files).lay()
    giveAway(dirname(copy.folder), to)
    return copy
  },
})

describe('run', () => {
  it('runs a command with the code of the answer and looks at how it ends', async () => {
    const options = { command: ['node', 'main.js'], answerFile: 'main.js' }
    const answer = 'Here it is:\n\n```js\nconsole.log(6 * 7)\n```\n'
    expect(await run({ ...options, stdoutMatches: '^42$', flags: 'm' }, answer)).toEqual({
      score: 1,
      passed: true,
      reason: 'exit code 0, and it printed what it should',
      facts: { exitCode: 0, signal: null, ended: 'exit' },
    })
    expect(await run(options, 'process.exit(3)')).toMatchObject({
      score: 0,
      passed: false,
      reason: 'exit code 3, expected 0',
    })
    expect((await run({ ...options, exitCode: 3 }, 'process.exit(3)')).passed).toBe(true)
    expect(await run(options, "throw new TypeError('what went wrong')")).toMatchObject({
      reason: 'exit code 1, expected 0: TypeError: what went wrong',
    })
  })

  it('finds Assay’s own Node as node', async () => {
    const version = { command: ['node', '--version'], stdoutMatches: `^${process.version}\\s*$` }
    expect((await run(version, 'x')).passed).toBe(true)
  })

  it('looks at what is printed', async () => {
    const command = 'cat; echo error >&2'
    const given = { command, input: 'one two' }
    const says = async (checks: object) => await run({ ...given, ...checks }, 'x')
    expect((await says({ stdoutContains: ['one', 'two'], stderrContains: 'err' })).passed).toBe(
      true,
    )
    expect(await says({ stdoutContains: ['one', 'three'] })).toMatchObject({
      passed: false,
      reason: 'stdout does not contain "three"',
      evidence: 'stdout:\none two\nstderr:\nerror\n',
    })
    expect((await says({ stderrMatches: '^warning' })).reason).toBe(
      'nothing in stderr matches /^warning/',
    )
  })

  it('has the answer’s files, and the case’s own, which no answer replaces', async () => {
    const one = fakeCase('c', { files: { 'tests/check.sh': 'cat src/a.txt' } })
    const files = { 'src/a.txt': 'from the answer', 'tests/check.sh': 'echo cheated' }
    const options = { command: ['sh', 'tests/check.sh'], stdoutContains: 'from the answer' }
    expect((await run(options, 'text', { case: one, files })).passed).toBe(true)
    const clash = { tests: 'a file where a folder is' }
    expect(await run(options, 'text', { case: one, files: clash })).toMatchObject({
      passed: false,
      final: true,
      reason: 'the answer has a file "tests" that cannot be',
    })
  })

  it('runs in a fresh copy of the workspace, beside its own home', async () => {
    const files = { 'src/a.txt': 'from the agent', 'tests/check.sh': 'cat src/a.txt && pwd' }
    const laid: string[] = []
    const workspace = {
      ...gradedWorkspace(files),
      async lay() {
        const copy = await gradedWorkspace(files).lay()
        laid.push(copy.folder)
        giveAway(dirname(copy.folder), sandbox)
        return copy
      },
    }
    const command =
      'sh tests/check.sh; test ! -e new || exit 9; echo x > new; echo y > "$HOME/z"; test ! -e z'
    const pass = await run({ command, stdoutContains: 'from the agent' }, 'text', {
      workspace,
      files: { 'src/a.txt': 'not this' },
    })
    expect(pass).toMatchObject({ passed: true })
    // Each command gets a fresh copy, so the files of the first command do not exist for the second one.
    expect((await run({ command }, 'text', { workspace })).passed).toBe(true)
    const where = sandbox.moves ? '^/workspace\n$' : '/laid-\\w+/project\n$'
    expect(
      (await run({ command: ['pwd'], stdoutMatches: where }, 'text', { workspace })).passed,
    ).toBe(true)
    expect(laid).toHaveLength(3)
    for (const folder of laid) expect(existsSync(folder)).toBe(false)
  })

  it('ends what does not end, and fails it', async () => {
    // The command sleeps longer than the test's own timeout, so the test passes only if the command is killed.
    const options = { command: ['sleep', '600'], timeout: '100ms' }
    expect(await run(options, 'x')).toMatchObject({
      passed: false,
      cause: 'code-timeout',
      reason: 'the command and what it started did nothing for 0.1 s',
    })
    // Each process is below the limit, all of them together are not. The command waits for the clock only.
    const busy = 'for i in 1 2 3 4; do sh -c "while :; do :; done" & done; wait'
    expect(await run({ command: busy, timeout: '500ms' }, 'x')).toMatchObject({
      passed: false,
      cause: 'code-timeout',
      reason: 'the command and what it started needed more than 0.5 s of processor time',
    })
  })

  it('tells a missing program, which is the author’s, from one that fails', async () => {
    await expect(run({ command: ['no-such-program'] }, 'x')).rejects.toThrow(
      'there is no program "no-such-program" in the sandbox',
    )
    await expect(run({ command: 'A=1 no-such-program --all && true' }, 'x')).rejects.toThrow(
      'there is no program "no-such-program" in the sandbox',
    )
    await expect(run({ command: ['/opt/no-such/program'] }, 'x')).rejects.toThrow(SandboxError)
    expect((await run({ command: ['./not-in-the-answer'] }, 'x')).passed).toBe(false)
    const named = { command: ['sh', 'a.sh'], answerFile: 'a.sh' }
    expect((await run(named, 'no-such-program')).passed).toBe(false)
  })

  it('does not let what runs say that it was ready, or that it passed', async () => {
    const claim = 'echo ready >&3; echo \'{"score":1,"passed":true}\'; exit 1'
    expect((await run({ command: ['sh', 'a.sh'], answerFile: 'a.sh' }, claim)).passed).toBe(false)
  })

  it.runIf(hasBubblewrap)(
    'shows it neither the files nor the environment of this machine',
    async () => {
      const command = `ls ${import.meta.filename} /etc/passwd 2>/dev/null; env | grep -c VITEST; ls /sys`
      expect(await run({ command, stdoutMatches: '^0\n$', exitCode: 2 }, 'x')).toMatchObject({
        passed: true,
      })
    },
  )

  it.runIf(hasBubblewrap)('runs work in the sandbox of agents, without the network', async () => {
    const script = `
      const { createServer, connect } = require('node:net')
      const { execFileSync } = require('node:child_process')
      const { existsSync, writeFileSync } = require('node:fs')
      writeFileSync('/tmp/x', 'y')
      if (!existsSync('/proc/self/status') || process.env.HOME !== '/home/agent') process.exit(2)
      if (process.env.TMPDIR !== '/tmp' || process.cwd() !== '/workspace') process.exit(3)
      for (const at of [{ host: '127.0.0.1', port: 0 }, { path: '/tmp/socket' }]) {
        const server = createServer((one) => one.end('hello')).listen(at, () => {
          const where = at.path === undefined ? { port: server.address().port } : at
          connect(where).on('data', () => {}).on('end', () => server.close())
        })
      }
      connect(53, '192.0.2.1').on('connect', () => process.exit(4)).on('error', () => {})
      console.log(execFileSync('npm', ['--version'], { encoding: 'utf8' }))
    `
    const workspace = ofSandbox({ 'a.js': script }, sandbox)
    const given = { command: ['node', 'a.js'], stdoutMatches: '^\\d+\\.\\d+' }
    expect(await run(given, 'x', { workspace })).toMatchObject({ passed: true })
  })

  it('leaves no files behind', async () => {
    const mine = (): string[] =>
      readdirSync(tmpdir()).filter((name) => name.startsWith('assay-files-'))
    const before = mine()
    await run({ command: ['true'] }, 'x')
    expect(mine().filter((name) => !before.includes(name))).toEqual([])
  })

  it('needs a sandbox, and a command that can be', async () => {
    await expect(judged('run', { command: ['true'] }, 'x')).rejects.toThrow(SandboxError)
    expect(refusal('run', { command: [] })).not.toBe('')
    expect(refusal('run', { command: 'x', stdoutMatches: '(' })).toContain('a regular expression')
    expect(refusal('run', { command: 'x', answerFile: '../x' })).toContain('a relative path')
  })
})
