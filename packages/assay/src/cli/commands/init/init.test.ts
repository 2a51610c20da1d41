import pico from 'picocolors'
import { readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { gradedAnswer } from '../../../../test/grade-answer.ts'
import { suiteFolder } from '../../../../test/suite-folder.ts'
import { type Case, UsageError } from '@assay/contract'
import { graders } from '../../../grade/graders.ts'
import { loadSuite, suiteJsonSchema } from '../../../suite/index.ts'
import { initCommand } from './init.ts'
import { run, summarize } from '../../../index.ts'
import { readTrust } from '../../../trust/index.ts'
import { loadSettings } from '../../settings/settings.ts'
import { validateCommand } from '../validate/validate.ts'

/** Runs `assay init` with a separate user configuration. */
async function init(dir: string, config?: string, yaml = false): Promise<string> {
  let printed = ''
  const output = { out: (text: string) => void (printed += text) }
  const env = { XDG_CONFIG_HOME: config ?? (await suiteFolder()) }
  expect(await initCommand({ dir, env, yaml }, output)).toBe(0)
  return printed
}

/** The verdicts that an answer gets, by grader name. */
async function verdicts(one: Case, answer: string): Promise<Record<string, boolean | null>> {
  const grades: Record<string, boolean | null> = {}
  for (const { type, name, negate, options } of one.graders) {
    const grader = graders.find((each) => each.type === type)
    const graded = gradedAnswer(answer, { case: one })
    const context = {
      signal: AbortSignal.timeout(10_000),
      timeoutMs: 10_000,
      random: () => 0.5,
      sandbox: null,
    }
    const judgement = await grader?.grade(graded, options, context)
    const passed = judgement?.passed ?? null
    grades[name] = passed === null ? null : passed !== negate
  }
  return grades
}

describe('assay init', () => {
  it('trusts the folder with what it wrote, which is nothing that others could have added', async () => {
    const dir = await suiteFolder()
    await writeFile(path.join(dir, 'older.toml'), 'model = "command:sh evil.sh"')
    const config = await suiteFolder()
    await init(dir, config)
    expect(readTrust({ XDG_CONFIG_HOME: config }).roots.get(dir)).toEqual([])
  })

  it('writes a suite, the settings and their schemas, and names the next commands', async () => {
    const dir = path.join(await suiteFolder(), 'new', 'project')
    const printed = await init(dir)
    expect((await readdir(dir)).sort()).toEqual([
      'assay-settings.schema.json',
      'assay.schema.json',
      'assay.toml',
      'suite.toml',
    ])
    expect(JSON.parse(await readFile(path.join(dir, 'assay.schema.json'), 'utf8'))).toEqual(
      JSON.parse(JSON.stringify(suiteJsonSchema(graders))),
    )
    const suite = path.join(dir, 'suite.toml')
    expect(printed).toContain(`cd ${dir}\n`)
    expect(printed).toContain('assay validate suite.toml\n')
    expect(printed).toContain('assay run\n')
    expect(await readFile(suite, 'utf8')).toMatch(/^#:schema \.\/assay\.schema\.json\n/)
    expect((await loadSettings({ folder: dir })).settings).toEqual({
      suites: ['suite.toml'],
      model: 'simulated:pass=0.8',
    })
  })

  it('refers to the schemas of the package where the project has installed it', async () => {
    const root = await suiteFolder({ 'node_modules/assay/schemas/suite.schema.json': '{}' })
    await init(path.join(root, 'evals'))
    expect((await readdir(path.join(root, 'evals'))).sort()).toEqual(['assay.toml', 'suite.toml'])
    const first = async (file: string): Promise<string | undefined> =>
      (await readFile(path.join(root, 'evals', file), 'utf8')).split('\n')[0]
    expect(await first('suite.toml')).toBe(
      '#:schema ../node_modules/assay/schemas/suite.schema.json',
    )
    expect(await first('assay.toml')).toBe(
      '#:schema ../node_modules/assay/schemas/settings.schema.json',
    )
  })

  it('writes the same suite as YAML, with the line by which YAML editors find the schema', async () => {
    const [toml, yaml] = [await suiteFolder(), await suiteFolder()]
    await init(toml)
    await init(yaml, undefined, true)
    const text = await readFile(path.join(yaml, 'suite.yaml'), 'utf8')
    expect(text).toMatch(/^# yaml-language-server: \$schema=\.\/assay\.schema\.json\n/)
    expect((await loadSettings({ folder: yaml })).settings.suites).toEqual(['suite.yaml'])
    const hashes = async (file: string): Promise<string[]> =>
      (await loadSuite(file, { graders })).suite.cases.map(({ hash }) => hash)
    expect(await hashes(path.join(yaml, 'suite.yaml'))).toEqual(
      await hashes(path.join(toml, 'suite.toml')),
    )
  })

  it('writes cases that prove themselves: references pass, faulty answers fail', async () => {
    const dir = await suiteFolder()
    await init(dir)
    const { suite, warnings } = await loadSuite(path.join(dir, 'suite.toml'), { graders })
    expect(warnings).toEqual([])
    for (const one of suite.cases) {
      expect(one.faulty.length).toBeGreaterThan(1)
      const passes = Object.values(await verdicts(one, one.reference ?? ''))
      expect(passes, one.id).toEqual(passes.map(() => true))
      for (const answer of one.faulty)
        expect(Object.values(await verdicts(one, answer)), answer).toContain(false)
    }
  })

  it('writes a suite that tells a subject that passes 40 % from one that passes 80 %', async () => {
    const dir = await suiteFolder()
    await init(dir)
    const told: unknown[] = []
    for (const seed of [1, 2, 3, 4, 5, 6]) {
      const folder = path.join(dir, String(seed))
      const subjects = ['simulated:pass=0.4', 'simulated:pass=0.8']
      await run({ suites: [path.join(dir, 'suite.toml')], subjects, folder, seed })
      const { headline } = await summarize(folder)
      told.push(headline?.suites.map(({ verdict, best }) => [verdict, best]))
    }
    // Of 40 seeds, all told them apart.
    expect(told).toEqual(told.map(() => [['better', 'simulated:pass=0.8']]))
  })

  it('has a faulty answer for each of its graders', async () => {
    const dir = await suiteFolder()
    await init(dir)
    const { suite } = await loadSuite(path.join(dir, 'suite.toml'), { graders })
    for (const one of suite.cases) {
      const failed = new Set<string>()
      for (const answer of one.faulty)
        for (const [name, passed] of Object.entries(await verdicts(one, answer)))
          if (passed === false) failed.add(name)
      expect(failed).toEqual(new Set(one.graders.map(({ name }) => name)))
    }
  })

  it('writes a folder that validates as a whole', async () => {
    const dir = await suiteFolder()
    await init(dir)
    let out = ''
    let err = ''
    const output = {
      out: (text: string) => (out += text),
      err: (text: string) => (err += text),
      colors: pico.createColors(false),
    }
    expect(await validateCommand({ paths: [dir], graders }, output)).toBe(0)
    expect([out.split('\n').length, err]).toEqual([2, ''])
  })

  it('overwrites nothing, and then writes nothing', async () => {
    const dir = await suiteFolder({ 'assay.toml': 'trials = 3\n' })
    await expect(init(dir)).rejects.toThrow(UsageError)
    await expect(init(dir)).rejects.toThrow(/assay\.toml already there: nothing was written/)
    expect(await readdir(dir)).toEqual(['assay.toml'])
    expect(await readFile(path.join(dir, 'assay.toml'), 'utf8')).toBe('trials = 3\n')
    const linked = await suiteFolder({})
    await symlink('nowhere', path.join(linked, 'assay.toml'))
    await expect(init(linked)).rejects.toThrow('nothing was written')
    expect(await readdir(linked)).toEqual(['assay.toml'])
  })

  it('writes nothing through a link that leads out of the repository', async () => {
    const [here, elsewhere] = [await suiteFolder({ '.git/HEAD': '' }), await suiteFolder()]
    await symlink(elsewhere, path.join(here, 'sub'))
    const before = process.cwd()
    process.chdir(here)
    try {
      await expect(init('sub')).rejects.toThrow('leads out of this repository through a link')
      await expect(init('sub/below')).rejects.toThrow('leads out of this repository')
      expect(await readdir(elsewhere)).toEqual([])
      await init('own')
    } finally {
      process.chdir(before)
    }
    expect(await readdir(path.join(here, 'own'))).toContain('suite.toml')
  })

  it('says where it cannot write', async () => {
    const dir = await suiteFolder()
    const file = path.join(dir, 'file')
    await writeFile(file, '')
    await expect(init(path.join(file, 'below'))).rejects.toThrow(/cannot write to .*file.below/)
  })

  it('has settings whose every commented line is valid when it is taken in', async () => {
    const dir = await suiteFolder()
    await init(dir)
    const file = path.join(dir, 'assay.toml')
    const text = await readFile(file, 'utf8')
    const taken = text.replaceAll(/^# (?=\w+ = |\[\w+\.\w+\])/gm, '')
    expect(taken).not.toBe(text)
    await writeFile(file, taken)
    const { settings } = await loadSettings({ folder: dir })
    expect(settings).toMatchObject({
      trials: 5,
      passK: [1, 5],
      providers: { local: { apiKeyEnv: 'LOCAL_API_KEY' } },
      subjects: { careful: { temperature: 0.2 } },
    })
  })
})
