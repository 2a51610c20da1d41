import { rm, symlink } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { suiteFolder } from '../../../test/suite-folder.ts'
import { SuiteError } from '../../documents/index.ts'
import { schemaCommand } from '../commands/schema/schema.ts'
import { loadSettings } from './settings.ts'

async function problems(text: string): Promise<string[]> {
  const folder = await suiteFolder({ 'assay.toml': text })
  try {
    await loadSettings({ folder })
  } catch (error) {
    if (!(error instanceof SuiteError)) throw error
    return error.problems.map(
      ({ line, column, message }) =>
        `${line}:${column}: ${message.replace(/ Allowed are .*$/u, '')}`,
    )
  }
  return []
}

describe('assay.toml', () => {
  it('is read whole', async () => {
    const folder = await suiteFolder({
      'assay.toml': `
model = ["openai/gpt-5-mini", "quick"]
trials = 4
passK = [1, 4]
parallelism = 8
budget = 1.5
output = "runs"
timeout = "90s"
gradeTimeout = 5
maxErrors = 0.1
prices = "prices.toml"
[providers.mine]
baseUrl = "http://127.0.0.1:1234/v1"
apiKeyEnv = "MY_KEY"
api = "chat"
[subjects.quick]
model = "mine/small"
temperature = 0.5
maxTokens = 10
topP = 0.9
seed = 7
system = "s"
reasoningEffort = "low"
[subjects.tool]
command = ["./tool", "--json"]
promptAs = "argument"
[subjects.old]
replay = "runs/1"
[subjects.fake]
simulated = true
[subjects.weak]
simulated = { pass = 0.3 }
`,
    })
    const loaded = await loadSettings({ folder })
    expect(loaded.file).toBe(path.join(folder, 'assay.toml'))
    expect(loaded.folder).toBe(folder)
    expect(loaded.settings).toMatchObject({
      model: ['openai/gpt-5-mini', 'quick'],
      budget: 1.5,
      providers: { mine: { apiKeyEnv: 'MY_KEY' } },
      subjects: { quick: { topP: 0.9 }, tool: { command: ['./tool', '--json'] }, fake: {} },
    })
  })

  it('may be missing, unless it was named', async () => {
    const folder = await suiteFolder()
    expect(await loadSettings({ folder })).toEqual({
      settings: {},
      file: null,
      folder,
      origins: new Map(),
    })
    await expect(loadSettings({ folder, file: path.join(folder, 'x.toml') })).rejects.toThrow(
      'there is no such file',
    )
  })

  // This test also covers: `output`, which show, report, compare and bless read (find-run.ts); a run file that the
  // user names (test/links-out.test.ts); the baseline (compare.test.ts).
  it('is not read through a link that leads out of the repository', async () => {
    const elsewhere = await suiteFolder({ 'real.toml': 'trials = 3\n' })
    const folder = await suiteFolder({ 'real.toml': 'trials = 2\n', '.git/HEAD': '' })
    const file = path.join(folder, 'assay.toml')
    for (const target of [path.join(elsewhere, 'real.toml'), '/proc/kmsg']) {
      await symlink(target, file)
      await expect(loadSettings({ folder })).rejects.toThrow(
        `is a link that leads out of the repository, to ${target}: it is not read`,
      )
      await rm(file)
    }
    await symlink('real.toml', file)
    expect((await loadSettings({ folder })).settings.trials).toBe(2)
    const named = await loadSettings({ folder, file: path.join(elsewhere, 'real.toml') })
    expect(named.settings.trials).toBe(3)
  })

  it('has its mistakes told with their places', async () => {
    expect(
      await problems(`trails = 3
passK = [0]
budget = "much"
[subjects.a]
temprature = 1
model = "x/y"
[subjects.b]
temperature = 0
[subjects."c,d"]
model = "x/y"
`),
    ).toEqual([
      '1:1: trails: unknown key; did you mean trials?',
      '2:10: passK[0]: expected a number of at least 1, found 0',
      '3:10: budget: expected a number, found "much"',
      '5:1: subjects.a.temprature: unknown key; did you mean temperature?',
      '7:11: subjects.b: expected exactly one of agent, model, command, replay, simulated, baseline, found a table',
      '9:11: subjects["c,d"]: a name without spaces, commas, colons, slashes, equals signs and quotes',
    ])
  })

  it('never shows a key, wherever it was put', async () => {
    const secret = 'sk-very-secret-1234567890'
    for (const text of [
      `[providers.openai]\napiKey = ["${secret}"]`,
      `[providers.openai]\napikey = "${secret}"`,
      `[providers.openai]\nbaseUrl = "ftp://${secret}"`,
      `[providers.openai]\napiKeyEnv = "${secret}"`,
      `[providers]\nopenai = "${secret}"`,
      `[providers.openai]\napiKey = ${secret}`,
      `[providers.openai]\napiKey = "${secret}`,
      `[subjects.a]\ncommand = "x"\nenv = { KEY = ["${secret}"] }`,
      `[subjects.a]\ncommand = "x"\nenv = "${secret}"`,
    ]) {
      const found = await problems(text)
      expect(found.length, text).toBeGreaterThan(0)
      expect(found.join('\n')).not.toContain(secret.slice(3))
    }
  })

  it('has a JSON Schema too', async () => {
    let printed = ''
    const output = { out: (text: string) => (printed += text) }
    expect(await schemaCommand({ of: 'settings' }, output)).toBe(0)
    expect(JSON.parse(printed)).toMatchObject({
      title: 'Assay settings',
      properties: { trials: { description: 'Trials per case and subject.' } },
    })
    printed = ''
    expect(await schemaCommand({ graders: [] }, output)).toBe(0)
    expect(JSON.parse(printed)).toMatchObject({ title: 'Assay suite' })
  })
})
