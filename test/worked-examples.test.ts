/**
 * Runs the examples that metrics-formulas and scoring-functions print, from the command line on small files. The
 * figures must match all digits that these two specifications print. One printed figure contradicts its own
 * specification: pass@5 of 4 passes in 5 trials is printed as 0.99, but the formula gives 1. Here the formula
 * counts.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Report } from 'assay'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { assayHere } from './assay-here.ts'
import { machine } from './command.ts'

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-worked-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function assay(...args: string[]): Promise<string> {
  const env = { ...machine(), NO_COLOR: '1', XDG_CONFIG_HOME: join(folder, 'config') }
  const { code, stdout, stderr } = await assayHere(args, { cwd: folder, env })
  if (code !== 0) throw new Error(stderr)
  return stdout
}

/** Returns what a command prints, and the report that it writes. */
async function told(name: string, ...args: string[]): Promise<{ text: string; report: Report }> {
  const text = await assay(...args, '--report', `${name}.json`)
  const report = JSON.parse(await readFile(join(folder, `${name}.json`), 'utf8')) as Report
  return { text, report }
}

const write = (name: string, text: string): Promise<void> => writeFile(join(folder, name), text)

const HEAD = 'tier,subtest,run_number,passed,impl_rate,cost_usd'

describe.concurrent('metrics-formulas', () => {
  it('example 1, a single run: cost of pass $0.50, composite 0.925, grade B', async ({
    expect,
  }) => {
    await write('one.csv', `${HEAD}\nT0,parse,1,True,0.85,0.50\n`)
    const { text, report } = await told('one', 'analyze', 'one.csv', '--tiers', 'T0')
    const [row] = report.subjects
    expect(row?.spec).toMatchObject({ grade: 'B', cost_of_pass: 0.5 })
    expect(row?.spec.statistics).toMatchObject({
      pass_rate: { mean: 1 },
      impl_rate: { mean: 0.85 },
      cost_of_pass: { mean: 0.5 },
      composite: { median: 0.925, mean: 0.925, count: 1 },
    })
    expect(text).toMatch(/^T0 +1\/1 +100%(?: \([\d–]+\))? +\$0\.50$/m)
    expect(text).toMatch(/^T0 +100% +85% +0\.925 +B /m)
  })

  it('example 2, ten runs: median 1, mean 0.8, mode 1, 0 to 1, deviation 0.4', async ({
    expect,
  }) => {
    const runs = [1, 1, 0, 1, 1, 1, 0, 1, 1, 1].map((passed, i) => `T0,parse,${i + 1},${passed},,`)
    await write('ten.csv', `${HEAD}\n${runs.join('\n')}\n`)
    const { report } = await told('ten', 'analyze', 'ten.csv')
    const [row] = report.subjects
    expect(row?.spec.statistics?.pass_rate).toEqual({
      median: 1,
      mean: 0.8,
      mode: 1,
      min: 0,
      max: 1,
      std_dev: 0.4,
      count: 10,
    })
  })

  it('example 3, four tiers: uplifts 14.3 %, 21.4 % and 28.6 %, variance 0.00547', async ({
    expect,
  }) => {
    // A composite of 0.70 is a pass with an implementation rate of 0.40.
    const tiers = [0.4, 0.6, 0.7, 0.8].map((impl, i) => `T${i},parse,1,True,${impl},0.50`)
    await write('four.csv', `${HEAD}\n${tiers.join('\n')}\n`)
    const { text, report } = await told('four', 'analyze', 'four.csv')
    const [across] = report.tiers
    expect(across?.tier_uplift.map((one) => one?.toFixed(3))).toEqual([
      '0.000',
      '0.143',
      '0.214',
      '0.286',
    ])
    expect(across?.composite_variance?.toFixed(5)).toBe('0.00547')
    const medians = { T0: '0.700', T1: '0.800', T2: '0.850', T3: '0.900' }
    const relative = { T0: '0.0', T1: '14.3', T2: '21.4', T3: '28.6' }
    for (const tier of ['T0', 'T1', 'T2', 'T3'] as const)
      expect(text).toMatch(
        new RegExp(`^${tier} +100% .*${medians[tier]} .*\\+${relative[tier]}%  \\$0\\.50$`, 'm'),
      )
    expect(text.replaceAll('\n', ' ')).toContain('variance of median composites 0.00547')
  })

  it('the uplift example: 0.75 to 0.90 is 20 %', async ({ expect }) => {
    await write('two.csv', `${HEAD}\nT0,parse,1,True,0.5,1\nT1,parse,1,True,0.8,1\n`)
    expect(await assay('analyze', 'two.csv')).toMatch(/^T1 .*0\.900 .*\+20\.0%/m)
  })
})

const SKILL = `name: answers
stimuli:
  - name: four-of-five
    prompt: Say yes.
    graders:
      - type: output-contains
        config: { substring: "yes" }
  - name: three-of-five
    prompt: Say yes.
    graders:
      - type: output-contains
        config: { substring: "yes" }
defaults: { runs: 5 }
scoring: { threshold: 0.7 }
`

describe.concurrent('scoring-functions', () => {
  it('a skill of two stimuli, passed 4 and 3 of 5 times', async ({ expect }) => {
    const answers = (task: string, texts: string): string[] =>
      texts.split(' ').map((completion) => JSON.stringify({ task_id: task, completion }))
    await write('skill.yaml', SKILL)
    await write(
      'samples.jsonl',
      [
        ...answers('four-of-five', 'yes yes no yes yes'),
        ...answers('three-of-five', 'yes yes no yes no'),
      ].join('\n'),
    )
    const subject = ['--model', 'replay:samples.jsonl']
    const { text, report } = await told('skill', 'run', 'skill.yaml', ...subject, '-o', 'run')
    // The document prints pass@5 of the first stimulus as 0.99. By its own formula it is 1.
    expect(text).toMatch(/^four-of-five +0\.800 +80% +1\.000 +0\.328 +20%$/m)
    expect(text).toMatch(/^three-of-five +0\.600 +60% +1\.000 +0\.078 +40%$/m)
    expect(text).toMatch(/^PASSED: score 0\.700, at least the threshold of 0\.7$/m)
    const [row] = report.subjects
    const skill = row?.spec.skill
    const [four, three] = skill?.stimulusScores ?? []
    expect(four).toMatchObject({
      stimulusName: 'four-of-five',
      aggregateScore: 0.8,
      multiTrial: { perTrialPassRate: 0.8, passAtK: 1, k: 5 },
      unscored: false,
      flaky: true,
      flakinessPercent: 20,
    })
    // The document prints it as 0.328 and, in the other example, as 0.33.
    expect(four?.multiTrial.passToTheK.toFixed(3)).toBe('0.328')
    expect(four?.multiTrial.passToTheK.toFixed(2)).toBe('0.33')
    expect(four?.trialResults?.map(([grade]) => grade?.passed)).toEqual([
      true,
      true,
      false,
      true,
      true,
    ])
    expect(three?.multiTrial.passAtK).toBe(1)
    expect(skill).toMatchObject({ skillName: 'answers', passed: true })
    // It is the mean of the stimuli's metrics, not the metric of all trials together.
    expect(skill?.overallMultiTrial.passToTheK).toBeCloseTo((0.8 ** 5 + 0.6 ** 5) / 2, 12)
  })
})
