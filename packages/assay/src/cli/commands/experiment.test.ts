/** `assay run` with an experiment: planned, run, resumed, refused. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pico from 'picocolors'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { lastRevision, readRecord } from '../../log/index.ts'
import { rewriteRecord } from '../../../test/rewrite-run.ts'
import { summarize } from '../../report/index.ts'
import { runCommand } from './run/run.ts'
import type { RunFlags } from '../settings/run-flags.ts'

const folder = mkdtempSync(join(tmpdir(), 'assay-experiment-run-'))
afterAll(() => rmSync(folder, { recursive: true }))
const at = (name: string): string => join(folder, name)
let next = 0

const SUITE = ['yes', 'no', 'maybe'].map(
  (word) =>
    `[[cases]]\nid = "${word}"\nprompt = "Say ${word}"\nreference = "${word}"\nfaulty = ["?"]\ngraders = [{ type = "equals", value = "${word}" }]\n`,
)
const tier = (name: string, pass: number): string =>
  `[subjects.${name}.simulated]\npass = ${pass}\nprice = 0.5\n`
const EXPERIMENT = `name = "words"
suites = ["suite.toml"]
impl = "score"
vary = ["simulated.pass"]
[composite]
pass = 1
impl = 3
[grades]
good = 0.5
bad = 0
${tier('low', 0.4)}${tier('high', 0.9)}`

beforeEach(() => {
  writeFileSync(at('suite.toml'), `id = "words"\n${SUITE.join('')}`)
  writeFileSync(at('experiment.toml'), EXPERIMENT)
})

async function assay(
  flags: Partial<RunFlags>,
): Promise<{ code: number; out: string; err: string; folder: string }> {
  const said = { out: '', err: '' }
  const output = flags.output ?? at(`run-${next++}`)
  const { output: _, ...rest } = flags
  const code = await runCommand(
    {
      suites: [],
      ...(flags.resume === undefined ? { output } : {}),
      ...rest,
    },
    {
      out: (more) => void (said.out += more),
      err: (more) => void (said.err += more),
      isTerminal: false,
      ready: () => null,
      outIsTerminal: false,
      width: 80,
      colors: pico.createColors(false),
    },
  )
  return { code, ...said, folder: output }
}

describe('assay run experiment.toml', () => {
  it('with --dry-run prints the plan by tier, and what it costs', async () => {
    const { code, out } = await assay({ suites: [at('experiment.toml')], dryRun: true })
    expect(code).toBe(0)
    expect(out).toMatch(/^low +words +3 +30 +≤ \$15\.00$/m)
    expect(out).toMatch(/^tiers: low \(baseline\), high$/m)
    expect(out).toMatch(/^they differ in: simulated\.pass$/m)
    expect(out).toMatch(/^composite: 0\.25 · passed \+ 0\.75 · score; good from 0\.5, else bad$/m)
    expect(out).toMatch(/^60 trials planned; nothing was run$/m)
  })

  it('is one run, which can be continued and gives the tiers again', async () => {
    const first = await assay({ suites: [at('experiment.toml')], trials: 4 })
    expect(first.code).toBe(0)
    expect(first.out).toMatch(/^low .* bad +\+0\.000/m)
    const more = await assay({ resume: first.folder, trials: 6 })
    expect(more.code).toBe(0)
    const report = await summarize(first.folder)
    expect(report.counts.planned).toBe(3 * 2 * 6)
    const [tiers] = report.tiers
    expect(tiers).toMatchObject({ suite: 'words', baseline: 'low', order: ['low', 'high'] })
    expect(report.provenance.scoring).toMatchObject({
      impl: 'score',
      compositeWeights: { pass: 1, impl: 3 },
      grades: { steps: [{ grade: 'good', least: 0.5 }], below: 'bad' },
    })
    expect(lastRevision(readRecord(first.folder)).experiment).toMatchObject({
      name: 'words',
      varies: ['simulated.pass'],
    })
  })

  it('grows by a tier that the file has got since', async () => {
    const first = await assay({ suites: [at('experiment.toml')], trials: 2 })
    writeFileSync(at('experiment.toml'), `${EXPERIMENT}${tier('top', 1)}`)
    await assay({ resume: first.folder })
    const [tiers] = (await summarize(first.folder)).tiers
    expect(tiers?.order).toEqual(['low', 'high', 'top'])
  })

  it('a log without an experiment still reads, without tiers', async () => {
    const { folder: run } = await assay({ suites: [at('experiment.toml')], trials: 2 })
    rewriteRecord(run, (record) => ({
      ...record,
      revisions: record.revisions.map(({ experiment: _experiment, ...rest }) => rest),
    }))
    expect((await summarize(run)).tiers).toEqual([])
  })
})

describe('refused before anything is asked', () => {
  it('what differs and may not', async () => {
    const text = EXPERIMENT.replace('vary = ["simulated.pass"]', 'vary = ["simulated.price"]')
    writeFileSync(at('experiment.toml'), text)
    await expect(assay({ suites: [at('experiment.toml')] })).rejects.toThrow(
      /the tiers differ in simulated\.pass, which may not vary: low has 0\.4, high has 0\.9/,
    )
  })

  it('flags that say who is compared, and files beside it', async () => {
    await expect(assay({ suites: [at('experiment.toml')], model: ['simulated'] })).rejects.toThrow(
      /leave --model and --temperature out/,
    )
    await expect(assay({ suites: [at('suite.toml'), at('experiment.toml')] })).rejects.toThrow(
      /run it alone/,
    )
  })

  it('a suite that is a program, which only a file named by the user may be', async () => {
    writeFileSync(at('suite.ts'), 'throw new Error("it ran")')
    writeFileSync(at('experiment.toml'), EXPERIMENT.replace('suite.toml', 'suite.ts'))
    await expect(assay({ suites: [at('experiment.toml')] })).rejects.toThrow(
      /a suite that is a program/,
    )
  })

  it('a suite that is not there', async () => {
    writeFileSync(at('experiment.toml'), EXPERIMENT.replace('suite.toml', 'gone.toml'))
    await expect(assay({ suites: [at('experiment.toml')] })).rejects.toThrow(
      /gone\.toml.*no such file/,
    )
  })
})

it('an experiment that starts programs says so', async () => {
  const commands = ['a', 'b'].map((name) => `[subjects.${name}]\ncommand = "echo ${name}"\n`)
  writeFileSync(
    at('commands.toml'),
    `suites = ["suite.toml"]\nvary = ["command"]\n${commands.join('')}`,
  )
  const { err } = await assay({ suites: [at('commands.toml')], dryRun: true })
  expect(err).toMatch(/commands\.toml starts programs, such as echo a\n/)
  const words = JSON.stringify(['sh', '-c', `echo ${'x'.repeat(100)}`])
  writeFileSync(
    at('words.toml'),
    `suites = ["suite.toml"]\nvary = ["command"]\n[subjects.a]\ncommand = ${words}\n${commands[1]}`,
  )
  const { err: cut } = await assay({ suites: [at('words.toml')], dryRun: true })
  expect(cut).toMatch(/words\.toml starts programs, such as sh -c echo x{68}…\n/)
})
