/**
 * Runs the steps of the GitHub action as GitHub would: a base branch with a baseline, a pull request, and a job
 * summary.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const assay = join(root, 'packages/assay/bin/assay.js')
const gate = join(root, '.github/action/gate.sh')
let folder: string
let repository: string

const git = (...args: string[]): void =>
  void execFileSync('git', ['-C', repository, ...args], { stdio: 'ignore' })

/** Ten cases are enough for a verdict. */
const suite = (): string =>
  `id = "sums"\n${Array.from({ length: 10 }, (_, i) => `[[cases]]\nid = "sum-${i}"\nprompt = "${i} + 1?"\nreference = "${i + 1}"\nfaulty = ["no"]\n[[cases.graders]]\ntype = "equals"\nvalue = "${i + 1}"\n`).join('\n')}`

function pullRequest(model: string, output: string, baseRef: string, program = assay) {
  const done = spawnSync('bash', [gate], {
    cwd: repository,
    encoding: 'utf8',
    env: {
      PATH: `${join(process.execPath, '..')}:${process.env['PATH'] ?? ''}`,
      XDG_CONFIG_HOME: join(folder, 'config'),
      ASSAY: program,
      ASSAY_SUITES: 'suite.toml\n',
      ASSAY_MODELS: model,
      ASSAY_ARGUMENTS: '--trials\n10\n--seed\n2\n',
      ASSAY_OUTPUT: output,
      GITHUB_BASE_REF: baseRef,
      GITHUB_STEP_SUMMARY: join(repository, `${output}.summary.md`),
    },
  })
  const summary = join(repository, `${output}.summary.md`)
  return { ...done, summary: existsSync(summary) ? readFileSync(summary, 'utf8') : '' }
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-action-'))
  const origin = join(folder, 'origin')
  repository = origin
  execFileSync('git', ['init', '-q', '-b', 'main', origin])
  git('config', 'user.email', 'nobody@example.org')
  git('config', 'user.name', 'nobody')
  writeFileSync(join(origin, 'suite.toml'), suite())
  const run = (...args: string[]): void =>
    void execFileSync(process.execPath, [assay, ...args], { cwd: origin, stdio: 'ignore' })
  run('run', 'suite.toml', '--model', 'simulated:pass=0.95', '--trials', '10', '--output', 'good')
  run('bless', 'good')
  git('add', 'suite.toml')
  git('commit', '-qm', 'suite')
  git('branch', 'before')
  git('add', 'assay-baseline.json')
  git('commit', '-qm', 'baseline')
  repository = join(folder, 'clone')
  execFileSync('git', ['clone', '-q', origin, repository])
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('the action', () => {
  it('passes what is as good as the base branch, and writes what people read', () => {
    const { status, summary, stderr } = pullRequest('simulated:pass=0.95', 'same', 'main')
    expect(status, stderr).toBe(0)
    expect(summary).toContain('SIMULATED')
    expect(summary).toContain('100 planned')
    const pages = ['site/index.html', 'site/data/index.js', 'site/data/run-0.js']
    for (const file of [
      ...['report.html', 'report.json', 'junit.xml', 'assay.sarif', 'comment.md'],
      ...pages,
    ])
      expect(existsSync(join(repository, 'same', file)), file).toBe(true)
  })

  it('fails what got worse, by the base branch’s baseline and not by the pull request’s own', () => {
    rmSync(join(repository, 'assay-baseline.json'))
    const { status, summary } = pullRequest('simulated:pass=0.3', 'worse', 'main')
    expect(status).toBe(1)
    expect(summary).toMatch(/regression/i)
  })

  it('says how to store a baseline where there is none', () => {
    const { status, summary } = pullRequest('simulated:pass=0.95', 'first', '')
    expect(status).toBe(0)
    expect(summary).toContain('assay bless')
    // The summary of the job begins as the report does: with what the run showed.
    expect(summary.split('\n')[0]).toMatch(/^\*\*Simulated answers: /)
  })

  it('tells a base branch without a baseline from one that cannot be fetched', () => {
    const none = pullRequest('simulated:pass=0.95', 'none', 'before')
    expect(none.status, none.stderr).toBe(0)
    expect(none.summary).toContain('There is no baseline')
    const gone = pullRequest('simulated:pass=0.95', 'gone', 'no-such-branch')
    expect(gone.status).toBe(2)
    expect(gone.summary).toContain('could not be fetched')
    expect(gone.summary).not.toContain('There is no baseline')
    expect(existsSync(join(repository, 'gone', 'run'))).toBe(false)
    expect(readFileSync(join(repository, 'gone', 'comment.md'), 'utf8')).toBe(gone.summary)
  })

  it('bounds the comment as GitHub does, without cutting a character', () => {
    // A program in place of assay, whose reports are long.
    const fake = join(repository, 'fake.js')
    writeFileSync(
      fake,
      `const { writeFileSync } = require('node:fs')
      const line = '| \u{1f534} é → ü | cell |\\n'
      if (process.argv[2] === 'run') writeFileSync('long/report.md', '# Report\\n' + line.repeat(9000))
      else process.stdout.write('## Assay: failed\\n' + line.repeat(1000) + 'END OF COMPARE\\n')
      process.exitCode = process.argv[2] === 'run' ? 0 : 1`,
    )
    const { status, summary } = pullRequest('any', 'long', 'main', fake)
    expect(status).toBe(1)
    const comment = readFileSync(join(repository, 'long', 'comment.md'))
    expect(comment.length).toBeLessThan(65_536)
    expect(comment.length).toBeGreaterThan(60_000)
    expect(new TextDecoder('utf-8', { fatal: true }).decode(comment)).toBe(summary)
    expect(summary).toContain('END OF COMPARE')
    expect(summary.indexOf('too long for a comment')).toBeLessThan(summary.indexOf('# Report'))
    expect(summary.trimEnd().endsWith('| cell |')).toBe(true)
  })

  it('ends as the run does where that fails', () => {
    const { status } = pullRequest('simulated:pass=2', 'bad', 'main')
    expect(status).toBe(2)
  })

  it('keeps the keys of providers from npm', () => {
    const tools = join(folder, 'tools')
    mkdirSync(tools)
    writeFileSync(join(tools, 'npm'), '#!/bin/sh\nprintf "== %s\\n" "$*"\nenv\n', { mode: 0o755 })
    const installed = spawnSync('bash', [join(root, '.github/action/install.sh')], {
      cwd: folder,
      encoding: 'utf8',
      env: {
        PATH: `${tools}:${process.env['PATH'] ?? ''}`,
        HOME: folder,
        HTTPS_PROXY: 'http://proxy.example:3128',
        ANTHROPIC_API_KEY: 'secret-of-the-user',
        GITHUB_TOKEN: 'secret-of-the-job',
      },
    })
    expect(installed.status, installed.stderr).toBe(0)
    expect(installed.stdout).toContain('== ci\n')
    expect(installed.stdout).toContain('== run build\n')
    expect(installed.stdout).toContain('HTTPS_PROXY=http://proxy.example:3128')
    expect(installed.stdout).not.toMatch(/secret-of|API_KEY|GITHUB_TOKEN/)
    // No other step of the action calls npm.
    const action = readFileSync(join(root, 'action.yml'), 'utf8')
    const calls = action.split('\n').filter((line) => /\bnpm\b|install\.sh/.test(line))
    expect(calls).toEqual(['      run: bash "$GITHUB_ACTION_PATH/.github/action/install.sh"'])
  })

  it('links to the uploaded pages, after the first paragraph of the comment', () => {
    const output = join(folder, 'linked')
    mkdirSync(output)
    const url = 'https://github.com/o/r/actions/runs/1/artifacts/2'
    const link = (text: string): string => {
      writeFileSync(join(output, 'comment.md'), text)
      const done = spawnSync('bash', [join(root, '.github/action/link.sh')], {
        encoding: 'utf8',
        env: {
          PATH: process.env['PATH'] ?? '',
          ASSAY_SITE_URL: url,
          ASSAY_OUTPUT: output,
          GITHUB_STEP_SUMMARY: join(output, 'summary.md'),
        },
      })
      expect(done.status, done.stderr).toBe(0)
      return readFileSync(join(output, 'comment.md'), 'utf8')
    }
    const lines = link('## Assay: failed\n\n```\na \\1 & b\n').split('\n')
    expect(lines.slice(0, 2)).toEqual(['## Assay: failed', ''])
    expect(lines[2]).toContain(`[All pages of this run](${url})`)
    expect(lines.slice(3)).toEqual(['', '```', 'a \\1 & b', ''])
    expect(link('one line\n')).toMatch(/^one line\n\n\[All pages/)
    expect(readFileSync(join(output, 'summary.md'), 'utf8').split(url)).toHaveLength(3)
  })
})
