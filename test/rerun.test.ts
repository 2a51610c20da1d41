/** The command that `assay show` prints to run a trial again is given to a shell, and runs that trial again. */
import { execFile } from 'node:child_process'
import { mkdtemp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, it } from 'vitest'

const bin = fileURLToPath(new URL('../packages/assay/bin/assay.js', import.meta.url))

const CASES = `
[[cases]]
id = "a"
prompt = "Say one"
reference = "one"
faulty = ["two", "three"]
graders = [{ type = "equals", value = "one" }]

[[cases]]
id = "b"
prompt = "Say two"
reference = "two"
faulty = ["one", "three"]
graders = [{ type = "equals", value = "two" }]
`
const FILES: Readonly<Record<string, string>> = {
  'plain.toml': `id = "plain"\n${CASES}`,
  'prompts.toml': `id = "prompts"\n[prompts]\nterse = "{{ prompt }}"\n"very polite" = "Please: {{ prompt }}"\n${CASES}`,
  'experiment.toml':
    'suites = ["plain.toml"]\ntrials = 3\nvary = ["simulated.pass"]\n[subjects.first-tier.simulated]\npass = 0.3\n[subjects.second.simulated]\npass = 0.6\n',
  'assay.toml': '[subjects.mine.simulated]\npass = 0.4\n',
}

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'assay-rerun-'))
  await mkdir(join(root, 'bin'))
  await writeFile(
    join(root, 'bin', 'assay'),
    `#!/bin/sh\nexec ${JSON.stringify(process.execPath)} ${JSON.stringify(bin)} "$@"\n`,
    { mode: 0o755 },
  )
  for (const [name, text] of Object.entries(FILES)) await writeFile(join(root, name), text)
})
afterEach(() => rm(root, { recursive: true, force: true }))

/** Under npm, the command prints `npx assay`. This test has no installed package, only a program on the PATH. */
const variables = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !name.toLowerCase().startsWith('npm_')),
)

const shell = async (line: string): Promise<string> =>
  (
    await promisify(execFile)('sh', ['-c', line], {
      cwd: root,
      env: { ...variables, PATH: `${join(root, 'bin')}:${process.env['PATH']}`, NO_COLOR: '1' },
    })
  ).stdout

interface Logged {
  readonly case: string
  readonly subject: string
  readonly index: number
  readonly answer: string
  readonly outcome: string
}

/** Returns the trials of each run, in the order in which the runs were started. */
async function runs(): Promise<Logged[][]> {
  const folder = join(root, '.assay', 'runs')
  const names = (await readdir(folder)).toSorted()
  return await Promise.all(
    names.map(async (name) =>
      (await readFile(join(folder, name, 'trials.jsonl'), 'utf8'))
        .trimEnd()
        .split('\n')
        .slice(1)
        .map((line) => JSON.parse(line) as Logged),
    ),
  )
}

it.each([
  ['a model', 'plain.toml --model simulated:pass=0.3 --trials 3 --seed 5'],
  ['a subject of assay.toml', 'plain.toml --model mine --trials 3'],
  ['a model with several prompts', 'prompts.toml --model simulated:pass=0.3 --trials 3'],
  ['a tier of an experiment', 'experiment.toml --seed 7'],
])('runs a trial of %s again', async (_, words) => {
  await shell(`assay run ${words} -o .assay/runs/1`)
  const [before = []] = await runs()
  const failed = before.find(({ outcome, index }) => outcome === 'failed' && index > 0)
  if (failed === undefined) throw new Error('no trial failed')
  const said = await shell(
    `assay show .assay/runs/1 ${failed.case} ${failed.index} --subject '${failed.subject}'`,
  )
  const [, line = ''] = /run it again: (.*)/.exec(said) ?? []
  expect(line).toContain('assay run ')
  await shell(`${line} -o .assay/runs/2`)
  const [, after = []] = await runs()
  const same = after.find(
    (one) =>
      one.case === failed.case && one.subject === failed.subject && one.index === failed.index,
  )
  expect(same?.answer).toBe(failed.answer)
  expect(new Set(after.map((one) => one.case))).toEqual(new Set([failed.case]))
})
