/** What the short and the long tests of `latest` share: projects with a suite, and the command in them. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect } from 'vitest'
import { assayHere } from './assay-here.ts'
import { machine, type Ended } from './command.ts'

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

type Printed = Pick<Ended, 'code' | 'stdout' | 'stderr'>

export async function assay(args: readonly string[], cwd: string = project): Promise<Printed> {
  const env = { ...machine(), XDG_CONFIG_HOME: join(root, 'config') }
  const { code, stdout, stderr } = await assayHere(args, { cwd, env })
  // The age of a run depends on the machine.
  const ageless = stderr.replaceAll(/, started [\w ,]+? ago,/g, ', started some time ago,')
  return { code, stdout, stderr: ageless }
}

export async function run(
  pass: number,
  args: readonly string[] = [],
  cwd?: string,
): Promise<Printed> {
  const ended = await assay(['run', 'suite.json', '-m', `simulated:pass=${pass}`, ...args], cwd)
  expect(ended.code, ended.stderr).toBe(0)
  return ended
}

export const LATEST =
  /^latest is (.*?)(?: \(outside of this repository\))?, started some time ago, complete with 1 trial$/m

export async function latest(cwd?: string): Promise<string | undefined> {
  return LATEST.exec((await assay(['report'], cwd)).stderr)?.[1]
}
