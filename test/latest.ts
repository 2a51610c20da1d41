/** What the short and the long tests of `latest` share: projects with a suite, and the command in them. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect } from 'vitest'
import { command, machine } from './command.ts'

export const SUITE = {
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

/** The folder of the current test, and the project in it. */
export const places = (): { readonly root: string; readonly project: string } => ({ root, project })

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'assay-latest-'))
  project = await makeProject('project')
})
afterEach(() => rm(root, { recursive: true, force: true }))

export async function makeProject(name: string): Promise<string> {
  const folder = join(root, name)
  await mkdir(folder)
  await writeFile(join(folder, 'suite.json'), JSON.stringify(SUITE))
  return folder
}

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export async function assay(args: readonly string[], cwd: string = project): Promise<Ended> {
  const child = spawn(process.execPath, [command, ...args], {
    cwd,
    env: { ...machine(), XDG_CONFIG_HOME: join(root, 'config') },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 60_000,
    killSignal: 'SIGKILL',
  })
  const text = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text.stdout += chunk))
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (text.stderr += chunk))
  const [code] = await once(child, 'close')
  // The age of a run depends on the machine.
  const stderr = text.stderr.replaceAll(/, started [\w ,]+? ago,/g, ', started some time ago,')
  return { code: code as number | null, stdout: text.stdout, stderr }
}

export async function run(
  pass: number,
  args: readonly string[] = [],
  cwd?: string,
): Promise<Ended> {
  const ended = await assay(['run', 'suite.json', '-m', `simulated:pass=${pass}`, ...args], cwd)
  expect(ended.code, ended.stderr).toBe(0)
  return ended
}

export const LATEST =
  /^latest is (.*?)(?: \(outside of this repository\))?, started some time ago, complete with 1 trial$/m

export async function latest(cwd?: string): Promise<string | undefined> {
  return LATEST.exec((await assay(['report'], cwd)).stderr)?.[1]
}
