/** The first hour with the command: an empty folder, ordinary mistakes, and what is said about them. */
import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const command = fileURLToPath(new URL('../packages/assay/bin/assay.js', import.meta.url))

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-first-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** In a folder below the test's own; without any key of the machine that runs the tests. */
async function assay(
  args: readonly string[],
  { cwd = '.', env = {} }: { cwd?: string; env?: Record<string, string> } = {},
): Promise<Ended> {
  const own = { PATH: process.env['PATH'], HOME: join(folder, 'home'), NO_COLOR: '1' }
  const child = spawn(process.execPath, [command, ...args], {
    cwd: join(folder, cwd),
    env: { ...own, XDG_CONFIG_HOME: join(folder, 'config'), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (chunk: Buffer) => (stdout += String(chunk)))
  child.stderr.on('data', (chunk: Buffer) => (stderr += String(chunk)))
  const code = await new Promise<number | null>((settle) => child.on('close', settle))
  return { code, stdout, stderr }
}

async function write(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [file, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, file)), { recursive: true })
    await writeFile(join(folder, file), text)
  }
}

const SUITE = `id = "one"
[[cases]]
id = "yes"
prompt = "Say yes"
reference = "yes"
faulty = ["no"]
[[cases.graders]]
type = "equals"
value = "yes"
`

describe('help', () => {
  it('the hint about --help is true: it names the help that lists what was misspelt', async () => {
    const flag = await assay(['run', '--modle', 'x'])
    expect(flag.stderr).toContain('Did you mean --model?')
    expect(flag.stderr).toContain('assay run --help lists its arguments and flags')
    expect((await assay(['run', '--help'])).stdout).toContain('--model <subjects>')
    const misspelt = await assay(['rnu'])
    expect(misspelt.stderr).toContain('Did you mean run?')
    expect(misspelt.stderr).toContain('assay --help lists the commands')
  })

  it('--help has groups and examples, and fits 80 columns', async () => {
    for (const args of [[], ['run'], ['compare'], ['analyze'], ['report'], ['show']]) {
      const { stdout } = await assay([...args, '--help'])
      expect(stdout).toMatch(/\nExamples:\n {2}/u)
      expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([])
    }
    const { stdout } = await assay(['run', '--help'])
    for (const group of ['What is run:', 'How it is run:', 'Output:', 'Earlier runs:'])
      expect(stdout).toContain(`\n${group}\n`)
  })

  it('a misspelt provider or grader is answered with the nearest one', async () => {
    await write({ 's.toml': SUITE, 'wrong.toml': SUITE.replace('equals', 'eqauls') })
    const provider = await assay(['run', 's.toml', '-m', 'opnai/gpt-5'])
    expect(provider).toMatchObject({ code: 2 })
    expect(provider.stderr).toContain('did you mean openai?')
    expect((await assay(['validate', 'wrong.toml'])).stderr).toContain('did you mean equals?')
    expect((await assay(['graders', 'eqauls'])).stderr).toContain('equals')
  })

  it('a format may be named by the ending of its files', async () => {
    await write({ 's.toml': SUITE })
    expect((await assay(['run', 's.toml', '-m', 'simulated:pass=1', '-o', 'r'])).code).toBe(0)
    expect((await assay(['report', 'r', '--format', 'md'])).stdout).toContain('# ')
    const compared = ['compare', '--baseline', 'r', '--current', 'r', '--format', 'md']
    expect((await assay(compared)).stdout).toContain('## Assay')
  })
})
