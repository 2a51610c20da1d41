import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { SubjectError, type Ask, type Case } from '@assay/contract'
import { commandPath } from '@assay/sandbox'
import { commandSubject, type CommandOptions } from './command.ts'
import { carriersOf, MARK_VARIABLE } from '../../../../sandbox/src/survivors.ts'

let folder = ''

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-command-'))
})

afterEach(async () => {
  try {
    await nobodyIsLeft()
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

/**
 * Throws if a process of a command is still running. Every command of these tests gets the test's folder in the
 * variable WATCH, so its processes can be found by that variable.
 */
async function nobodyIsLeft(): Promise<void> {
  let left = carriersOf(`WATCH=${folder}`)
  // A killed process needs a moment to disappear.
  for (let i = 0; i < 50 && left.length > 0; i++) {
    await wait(20)
    left = carriersOf(`WATCH=${folder}`)
  }
  for (const pid of left) process.kill(pid, 'SIGKILL')
  if (left.length > 0) throw new Error(`left running: ${left.join(', ')}`)
}

const ask = (given: Partial<Ask> & { prompt?: string } = {}): Ask => ({
  suite: 's',
  case: { id: 'c', files: {} } as unknown as Case,
  index: 0,
  messages: [{ role: 'user', content: given.prompt ?? 'What is 6 × 7?' }],
  maxTokens: null,
  timeoutMs: 30_000,
  random: () => 0.5,
  signal: new AbortController().signal,
  ...given,
})

/** A subject that runs a program written in JavaScript. */
const program = (source: string, options: Partial<CommandOptions> & { words?: string[] } = {}) =>
  commandSubject({
    id: 'test',
    argv: [process.execPath, '-e', source, ...(options.words ?? [])],
    ...options,
    env: { WATCH: folder, ...options.env },
  })

/** A subject that runs a line of shell. A shell starts faster than Node. */
const shell = (line: string, options: Partial<CommandOptions> = {}) =>
  commandSubject({ id: 'test', argv: ['sh', '-c', line], ...options, env: { WATCH: folder } })

const ECHO = 'process.stdin.pipe(process.stdout)'

describe('what a command gets', () => {
  it('says where its answer is not valid UTF-8', async () => {
    const said = await shell("printf 'a\\377b'").answer(ask())
    expect(said.text).toBe('a\ufffdb')
    expect(said.remarks).toEqual([expect.stringContaining('not valid UTF-8')])
    expect((await shell('echo ä').answer(ask())).remarks).toBeUndefined()
  })

  it('is the prompt on stdin, and what it prints is the answer', async () => {
    const subject = program(ECHO)
    const prompt = 'Zeile 1\nlínea 2 😀 $(rm -rf /) `x` "\'\\'
    expect(await subject.answer(ask({ prompt }))).toEqual({
      text: prompt,
      stop: 'end',
      usage: null,
      usd: null,
    })
    expect(subject).toMatchObject({ kind: 'command', source: 'live' })
  })

  it('is the prompt as an argument where there is a place for it, whatever it holds', async () => {
    const show = 'process.stdout.write(JSON.stringify(process.argv.slice(1)))'
    const prompt = `$& {prompt} "; echo '\n`
    const placed = program(show, { words: ['--', '--ask={prompt}', 'x'] })
    expect(JSON.parse((await placed.answer(ask({ prompt }))).text)).toEqual([
      `--ask=${prompt}`,
      'x',
    ])
    const last = program(show, { words: ['--', 'x'], promptAs: 'argument' })
    expect(JSON.parse((await last.answer(ask({ prompt }))).text)).toEqual(['x', prompt])
  })

  it('can be everything about the trial as JSON', async () => {
    const { text } = await program(ECHO, { promptAs: 'json' }).answer(
      ask({ index: 3, maxTokens: 9 }),
    )
    expect(JSON.parse(text)).toEqual({
      suite: 's',
      case: 'c',
      index: 3,
      messages: [{ role: 'user', content: 'What is 6 × 7?' }],
      maxTokens: 9,
      files: {},
    })
  })

  it('has the programs of the folder that the user works in last on its PATH', async () => {
    const before = process.env['PATH']
    const theirs = resolve('node_modules/.bin')
    process.env['PATH'] = ['node_modules/.bin', theirs, '/usr/bin'].join(':')
    try {
      const subject = program('process.stdout.write(process.env.PATH)')
      const { text } = await subject.answer(ask())
      expect(text).toBe(['/usr/bin', 'node_modules/.bin', theirs].join(':'))
    } finally {
      process.env['PATH'] = before
    }
  })

  it('is a clean environment, with what was named for it and nothing else', async () => {
    process.env['SOME_API_KEY'] = 'sk-not-for-commands'
    process.env['PASSED_ON'] = 'yes'
    try {
      const subject = program('process.stdout.write(JSON.stringify(process.env))', {
        env: { MY_TOKEN: 'tok-12345678' },
        passEnv: ['PASSED_ON', 'NOT_THERE'],
      })
      const env = JSON.parse((await subject.answer(ask())).text) as Record<string, string>
      expect(env).toMatchObject({
        MY_TOKEN: 'tok-12345678',
        PASSED_ON: 'yes',
        PATH: commandPath(process.env['PATH'] ?? ''),
      })
      const allowed = [
        'PATH',
        'HOME',
        'LANG',
        'TMPDIR',
        'WATCH',
        'MY_TOKEN',
        'PASSED_ON',
        MARK_VARIABLE,
      ]
      expect(Object.keys(env).filter((name) => !allowed.includes(name))).toEqual([])
      expect(subject.secrets).toEqual(['tok-12345678'])
      expect(JSON.stringify(subject.config)).not.toContain('tok-')
      expect(subject.config).toMatchObject({ env: ['MY_TOKEN', 'NOT_THERE', 'PASSED_ON', 'WATCH'] })
    } finally {
      delete process.env['SOME_API_KEY']
      delete process.env['PASSED_ON']
    }
  })

  it('is a working directory that exists', async () => {
    const { text } = await program('process.stdout.write(process.cwd())', { cwd: folder }).answer(
      ask(),
    )
    expect(text).toContain('assay-command-')
    expect(() => program('', { cwd: join(folder, 'not', 'there') })).toThrow('does not exist')
  })
})

describe('what a command says', () => {
  it('may be an envelope with usage and cost', async () => {
    const envelope = { text: '42', usage: { input: 3, output: 1 }, costUsd: 0.5, files: { a: 'b' } }
    const print = `console.log(${JSON.stringify(JSON.stringify(envelope))})`
    expect(await program(print, { answerAs: 'json' }).answer(ask())).toEqual({
      text: '42',
      stop: 'end',
      files: { a: 'b' },
      usage: { input: 3, cacheRead: 0, cacheWrite: 0, output: 1, reasoning: 0 },
      usd: 0.5,
    })
    // The reported cost counts even if the command failed.
    const failing = program(`${print}; process.exitCode = 3`, { answerAs: 'json' })
    expect(await failing.answer(ask())).toMatchObject({
      stop: 'exit',
      note: 'exit code 3',
      usd: 0.5,
    })
  })

  it('fails the trial where the envelope cannot be read', async () => {
    expect(await program('console.log("hi")', { answerAs: 'json' }).answer(ask())).toMatchObject({
      text: 'hi',
      stop: 'exit',
      note: 'printed an envelope that cannot be read: it is not JSON',
    })
  })

  it('is kept when it fails, with the exit code and the end of stderr', async () => {
    const source = `console.log('partial'); console.error('x'.repeat(20000) + 'the end'); process.exitCode = 7`
    const { text, stop, note = '' } = await program(source).answer(ask())
    expect({ text, stop }).toEqual({ text: 'partial', stop: 'exit' })
    expect(note).toMatch(/^exit code 7; stderr: …x+the end$/)
    expect(note.length).toBeLessThan(1000)
    expect(await program('process.kill(process.pid, "SIGSEGV")').answer(ask())).toMatchObject({
      stop: 'exit',
      note: 'was ended by SIGSEGV',
    })
  })

  it('shows no secret in a note', async () => {
    const source = 'console.error(process.env.MY_KEY); process.exitCode = 1'
    const { note } = await program(source, { env: { MY_KEY: 'sk-0123456789' } }).answer(ask())
    expect(note).toBe('exit code 1; stderr: [secret]')
  })

  it('has bytes replaced that are not text', async () => {
    const { text, stop } = await program(
      'process.stdout.write(Buffer.from([65, 255, 254, 0, 66]))',
    ).answer(ask())
    expect({ text, stop }).toEqual({ text: 'A\ufffd\ufffd\u0000B', stop: 'end' })
  })
})

describe('a command that misbehaves', () => {
  it('is stopped at the deadline, and what it printed is kept', async () => {
    const endless = shell('printf "so far"; sleep 60')
    expect(await endless.answer(ask({ timeoutMs: 2000 }))).toMatchObject({
      text: 'so far',
      stop: 'timeout',
      note: 'did not end within 2 s',
    })
    const own = shell('sleep 60', { timeoutMs: 100 })
    expect(await own.answer(ask())).toMatchObject({ stop: 'timeout' })
  })

  it('is killed where it will not end', async () => {
    const stubborn = shell('trap "" TERM; while :; do sleep 1; done')
    expect(await stubborn.answer(ask({ timeoutMs: 500 }))).toMatchObject({ stop: 'timeout' })
  })

  it('does not leave children behind, nor wait for them', async () => {
    const source = `
      const { spawn } = require('node:child_process')
      const child = () => spawn(process.execPath, ['-e', 'process.on("SIGTERM", () => {}); process.on("SIGHUP", () => {}); setInterval(() => {}, 1000)'], { stdio: 'inherit' })
      child(); child()
      console.log('done')
      process.exit(0)`
    expect(await program(source).answer(ask())).toMatchObject({ text: 'done', stop: 'end' })
  })

  it.runIf(process.platform === 'linux')(
    'does not leave those behind that fled into a session of their own',
    async () => {
      const source = `
      const { spawn } = require('node:child_process')
      spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit', detached: true }).unref()
      console.log('done')
      process.exit(0)`
      expect(await program(source).answer(ask())).toMatchObject({ text: 'done', stop: 'end' })
    },
  )

  it('has its whole family stopped at the deadline', async () => {
    const source = `
      const { spawn } = require('node:child_process')
      for (let i = 0; i < 3; i++) spawn(process.execPath, ['-e', 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)'], { stdio: 'inherit' })
      setInterval(() => {}, 1000)`
    expect(await program(source).answer(ask({ timeoutMs: 1000 }))).toMatchObject({
      stop: 'timeout',
    })
  })

  it('is stopped when it prints without end', async () => {
    const source = `const block = 'y\\n'.repeat(8192); const go = () => process.stdout.write(block, go); go()`
    const { text, stop, note } = await program(source, { mostBytes: 1_000_000 }).answer(ask())
    expect(stop).toBe('exit')
    expect(note).toBe('printed more than 1000000 bytes and was stopped')
    expect(text.length).toBe(64 * 1024)
  })

  it('may print exactly as much as it is allowed to', async () => {
    const source = 'process.stdout.write("y".repeat(1000))'
    expect(await program(source, { mostBytes: 1000 }).answer(ask())).toMatchObject({ stop: 'end' })
    expect(await program(source, { mostBytes: 999 }).answer(ask())).toMatchObject({ stop: 'exit' })
  })

  it('may complain without end as long as it answers', async () => {
    const source = `for (let i = 0; i < 200; i++) console.error('e'.repeat(10000)); console.log('42')`
    expect(await program(source).answer(ask())).toMatchObject({ text: '42', stop: 'end' })
  })

  it('may close its input before it has read it', async () => {
    const prompt = 'x'.repeat(4_000_000)
    const early = program('process.stdin.destroy(); console.log("42")')
    expect(await early.answer(ask({ prompt }))).toMatchObject({ text: '42', stop: 'end' })
    const gone = program('process.exit(0)')
    expect(await gone.answer(ask({ prompt }))).toMatchObject({ text: '', stop: 'end' })
  })

  it('may close its output and go on for a while', async () => {
    const source = `process.stdout.end('42'); process.stdout.on('finish', () => setTimeout(() => {}, 100))`
    expect(await program(source).answer(ask())).toMatchObject({ text: '42', stop: 'end' })
  })
})

describe('stopping', () => {
  it('ends the command with the run’s reason', async () => {
    const controller = new AbortController()
    const answer = program('setInterval(() => {}, 1000)').answer(ask({ signal: controller.signal }))
    await wait(200)
    const reason = new Error('the run was stopped')
    controller.abort(reason)
    await expect(answer).rejects.toBe(reason)
    await expect(program('').answer(ask({ signal: controller.signal }))).rejects.toBe(reason)
  })

  it('ends the command when Assay itself ends', async () => {
    const script = `
      import { commandSubject } from '${new URL('command.ts', import.meta.url).href}'
      const argv = [process.execPath, '-e', 'console.error("up"); setInterval(() => {}, 1000)']
      const subject = commandSubject({ id: 'x', argv, passEnv: ['WATCH'] })
      const signal = new AbortController().signal
      void subject.answer({ messages: [], case: {}, timeoutMs: 60000, signal })
      setTimeout(() => process.exit(0), 300)`
    const argv = [process.execPath, '--input-type=module', '-e', script]
    const env = { ...process.env, WATCH: folder }
    await promisify(execFile)(argv[0] ?? '', argv.slice(1), { env, timeout: 20_000 })
    await nobodyIsLeft()
    expect(carriersOf(`WATCH=${folder}`)).toEqual([])
  })

  it('closing the subject ends what it still runs', async () => {
    const subject = program('setInterval(() => {}, 1000)')
    const answer = subject.answer(ask()).catch((error: unknown) => error)
    await wait(200)
    await subject.close()
    expect(await answer).toBeInstanceOf(SubjectError)
  })
})

/** Returns the error of a command that cannot start. */
const failure = async (argv: string[], prompt?: string): Promise<unknown> =>
  commandSubject({ id: 'test', argv })
    .answer(ask(prompt === undefined ? {} : { prompt }))
    .catch((error: unknown) => error)

describe('a command that cannot start', () => {
  it('leaves the trial without an answer, and is not tried again', async () => {
    const error = await failure(['no-such-program-here'])
    expect(error).toBeInstanceOf(SubjectError)
    expect(error).toMatchObject({
      reason: 'not-started',
      retry: false,
      message: 'test could not be started: there is no program "no-such-program-here" on the PATH',
    })
  })

  it('says when a file may not be executed', async () => {
    const file = join(folder, 'plain.txt')
    await writeFile(file, 'text')
    expect(await failure([file])).toMatchObject({
      reason: 'not-started',
      retry: false,
      message: expect.stringContaining('may not be executed'),
    })
  })

  it('says when the prompt cannot be an argument', async () => {
    expect(await failure(['echo', '{prompt}'], 'a\0b')).toMatchObject({
      reason: 'not-started',
      message: expect.stringContaining('zero byte'),
    })
    expect(await failure(['echo', '{prompt}'], 'x'.repeat(5_000_000))).toMatchObject({
      reason: 'not-started',
      message: expect.stringContaining('too long for an argument'),
    })
  })

  it('is refused at once where it makes no sense', () => {
    expect(() => commandSubject({ id: 'test', argv: [] })).toThrow('names no program')
    const argv = ['a', '{prompt}']
    expect(() => commandSubject({ id: 'test', argv, promptAs: 'stdin' })).toThrow('has {prompt}')
  })
})
