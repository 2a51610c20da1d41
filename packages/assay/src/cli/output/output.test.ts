import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { fileURLToPath } from 'node:url'
import pico from 'picocolors'
import { shownText, withoutWorkflowCommands, wrappedText } from './output.ts'

const output = fileURLToPath(new URL('output.ts', import.meta.url))

/**
 * Runs a program that prints a lot on both streams, into a pipe that is closed at once. Returns its exit code, which
 * should be `code`.
 */
function piped(code: number, into: string): number {
  const script = `
    import { processOutput } from ${JSON.stringify(output)}
    const { out, err } = processOutput()
    await new Promise((done) => setTimeout(done, 200))
    for (let i = 0; i < 50; i++) err('words\\n'.repeat(1000))
    for (let i = 0; i < 50; i++) out('data\\n'.repeat(1000))
    process.exitCode = ${code}`
  const shell = `"$0" --input-type=module-typescript -e "$1" ${into}; echo "\${PIPESTATUS[0]}"`
  const { stdout } = spawnSync('bash', ['-c', shell, process.execPath, script], {
    encoding: 'utf8',
  })
  return Number(stdout.trim())
}

describe('a reader that closes the pipe', () => {
  it.each(['2>/dev/null | true', '2>&1 | true', '2>&1 >/dev/null | true'])(
    'is not an error, nor does it make a failed gate hold: %s',
    (into) => {
      expect(piped(0, into)).toBe(0)
      expect(piped(1, into)).toBe(1)
    },
  )
})

/** Related: file names are tested in validate.test.ts. Reports and answers have their own tests. */
describe('words for people', () => {
  const { bold, dim, red, green, yellow } = pico.createColors(true)

  it('keep their own colours, lines and tabs', () => {
    const text = `${[bold, dim, red, green, yellow].map((paint) => paint('a\tb')).join('\n')}\n`
    expect(shownText(text)).toBe(text)
  })

  it.each([
    '\u001b[2J',
    '\u001b[1A',
    '\u001b[8m',
    '\u001b[30m',
    '\u001b]0;x\u0007',
    '\u009b2J',
    '\r',
    '\u202e',
  ])('have nothing else that a terminal would act on: %j', (escape) => {
    // oxlint-disable-next-line no-control-regex
    expect(shownText(`a${escape}b`)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/)
  })

  it('are wrapped at the width of the terminal, where colours take no room', () => {
    expect(wrappedText(`${yellow('warning:')} ${'word '.repeat(5).trim()}\n`, 23)).toBe(
      `${yellow('warning:')} word word word\nword word\n`,
    )
  })

  it('on standard error are so wherever it goes, and standard output gets every byte', () => {
    const script = `
      import { processOutput } from ${JSON.stringify(output)}
      const { out, err } = processOutput()
      out('a\\u001b[2Jb')
      err('a\\u001b[2Jb')`
    const { stdout, stderr } = spawnSync(
      process.execPath,
      ['--input-type=module-typescript', '-e', script],
      { encoding: 'utf8' },
    )
    expect({ stdout, stderr }).toEqual({ stdout: 'a\u001b[2Jb', stderr: 'a\ufffd[2Jb' })
  })
})

/** Related: both streams of the process. A file gets every byte unchanged (docs/guides/ci.md). */
describe('a log of GitHub Actions', () => {
  it('gets no command of the runner from a name or an answer', () => {
    const text =
      'ok\n  ::add-mask::e\n::stop-commands::x\na ##[error]b ::warning::\n::notice title=x::y'
    expect(withoutWorkflowCommands(text)).toBe(
      'ok\n  : :add-mask::e\n: :stop-commands::x\na ## [error]b ::warning::\n: :notice title=x::y',
    )
    const data = '{"a":"##[error]"}\n  "b": "::error::"\nstd::vec::Vec\n::std::x'
    expect(withoutWorkflowCommands(data)).toBe(data)
  })

  it.each([
    ['true', ': :error::x'],
    ['', '::error::x'],
  ])('is protected where GITHUB_ACTIONS is %j', (actions, said) => {
    const script = `import { processOutput } from ${JSON.stringify(output)}\nconst { out, err } = processOutput()\nout('::error::x\\n')\nerr('::error::x\\n')`
    const { stdout, stderr } = spawnSync(
      process.execPath,
      ['--input-type=module-typescript', '-e', script],
      { encoding: 'utf8', env: { ...process.env, GITHUB_ACTIONS: actions } },
    )
    expect([stdout, stderr]).toEqual([`${said}\n`, `${said}\n`])
  })
})
