/**
 * The trust question, and the command that answers it. The tests also cover: records with a damaged request, which
 * `run --resume` and `--regrade` read with the same function, `earlierRun`.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pico from 'picocolors'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { namedIn, readTrust, type Use } from '../../../trust/index.ts'
import { trustGate } from '../../trust/require-trust.ts'
import { trustCommand, type TrustFlags } from './trust.ts'

const parent = mkdtempSync(join(tmpdir(), 'assay-trust-command-'))
afterAll(() => rmSync(parent, { recursive: true }))

let folder = ''
let env: { XDG_CONFIG_HOME: string }
let next = 0
beforeEach(() => {
  folder = join(parent, `folder-${next}`)
  env = { XDG_CONFIG_HOME: join(parent, `config-${next++}`) }
  mkdirSync(join(folder, '.git'), { recursive: true })
  writeFileSync(join(folder, 'assay.toml'), '[subjects.nice]\ncommand = ["sh", "run.sh"]\n')
})

async function trust(flags: Partial<TrustFlags>): Promise<{ code: number; said: string }> {
  let said = ''
  const say = (text: string): void => void (said += text)
  const output = { out: say, err: say, colors: pico.createColors(false) }
  const code = await trustCommand({ paths: [folder], env, ask: null, ...flags }, output)
  return { code, said }
}

const REQUEST = {
  ...{ suites: [], subjects: [], config: null, filter: [], cases: [], temperature: null },
  ...{ trials: 1, passK: [1], prices: null },
}

/** Creates a run folder with this request in its record. */
function recordOf(request: object | null): string {
  const run = join(folder, 'run')
  mkdirSync(run)
  const at = '2026-01-01T00:00:00.000Z'
  const record = {
    ...{ assay: 'run', version: 1, id: 'r', createdAt: at, seed: 1, ended: null },
    tool: { version: '0', node: 'v24', platform: 'linux-x64' },
    revisions: [
      {
        ...{ at, request, suites: [], subjects: [], passK: [1], timeoutMs: 1, gradeTimeoutMs: 1 },
        ...{ budgetUsd: null, prices: '' },
      },
    ],
  }
  writeFileSync(join(run, 'run.json'), JSON.stringify(record))
  return run
}

const allowed = (): readonly string[] => readTrust(env).roots.get(folder) ?? []
const RUN = 'start ["sh","run.sh"] in .'

describe('assay trust', () => {
  it('takes no record that Assay wrote for a suite', async () => {
    mkdirSync(join(folder, 'run1'))
    const record = JSON.stringify({ assay: 'run', revisions: [{ suites: [{ cases: [{}] }] }] })
    writeFileSync(join(folder, 'run1', 'run.json'), record)
    writeFileSync(join(folder, 'report.json'), '{"assay": "report", "cases": [{}]}')
    expect(await trust({ yes: true })).toMatchObject({ code: 0 })
    expect(allowed()).toEqual([RUN])
  })

  it.each([
    ...[{ suites: 'x' }, { suites: [5] }, { subjects: 5 }, { subjects: [{}] }, { judges: 7 }],
    ...[{ judges: [1] }, { config: 7 }, { prices: {} }, { regrade: [] }, { asked: { trials: '' } }],
  ])('looks at no record whose request is damaged: %j', async (request) => {
    const run = recordOf({ ...REQUEST, ...request })
    const { code, said } = await trust({ paths: [run], yes: true })
    expect(code).toBe(2)
    expect(said).toContain('does not say what the run was asked for')
  })

  it('finds nothing in a record without a request', async () => {
    expect((await trust({ paths: [recordOf(null)], yes: true })).code).toBe(0)
  })

  it('shows what it covers and takes yes for an answer, and nothing else', async () => {
    const questions: string[] = []
    const answer = (text: string) => (question: string) => {
      questions.push(question)
      return Promise.resolve(text)
    }
    await expect(trust({ ask: answer('') })).rejects.toThrow('nothing was changed')
    await expect(trust({ ask: answer('yesterday') })).rejects.toThrow('nothing was changed')
    expect(allowed()).toEqual([])
    const { code, said } = await trust({ ask: answer('y') })
    expect(code).toBe(0)
    expect(said).toContain('start sh run.sh')
    expect(allowed()).toEqual([RUN])
    expect((await trust({})).said).toContain('nothing new that needs trust')
    expect(questions).toHaveLength(3)
  })

  it('does not go on without a terminal, unless --yes', async () => {
    await expect(trust({})).rejects.toThrow('add --yes')
    expect((await trust({ yes: true })).code).toBe(0)
    expect((await trust({ list: true })).said).toBe(`${folder}\n  ${RUN}\n`)
    expect((await trust({ revoke: true })).said).toBe(`${folder}: not trusted any more\n`)
    expect((await trust({ list: true })).said).toBe('no folder is trusted\n')
  })

  it('shows the end of a command whose words are long, next to the question', async () => {
    const words = ['sh', '-c', `echo ${'a'.repeat(5000)}; curl evil.invalid`]
    const settings = `[subjects.${'n'.repeat(150)}]\ncommand = ${JSON.stringify(words)}\n`
    writeFileSync(join(folder, 'assay.toml'), settings)
    const { said } = await trust({ yes: true })
    const [full = '', list = ''] = said.split('is not trusted yet. It would\n')
    expect(full.includes(`${'a'.repeat(5000)}; curl evil.invalid'`)).toBe(true)
    expect(list.length).toBeLessThan(1500)
    expect(list).toMatch(
      /^ {2}start sh -c 'echo a+ \[…\d+ more characters…\] a+; curl evil\.invalid' /,
    )
    expect(list).toContain('assay.toml)\n')
  })

  it('does not end as if all were well if something could not be looked at', async () => {
    const own = '[subjects.nice]\ncommand = ["sh", "run.sh"]\n'
    writeFileSync(join(folder, 'assay.toml'), `${own}oops = \n`)
    const broken = await trust({})
    expect(broken.code).toBe(2)
    expect(broken.said).toMatch(/not looked at: .*assay\.toml:3/)
    expect(broken.said).not.toContain('nothing new')
    expect(broken.said).toContain('not everything could be looked at')
    expect(readTrust(env).roots.has(folder)).toBe(false)

    const address = 'https://api.openai.com@evil.invalid/v1'
    writeFileSync(
      join(folder, 'assay.toml'),
      `${own}[providers.house]\nbaseUrl = "${address}"\napiKeyEnv = "OPENAI_API_KEY"\n`,
    )
    const refused = await trust({ yes: true })
    expect(refused.code).toBe(2)
    expect(refused.said).toContain('the provider house is refused: ')
    expect(refused.said).toContain('trusted, except for what was not looked at')
    expect(allowed()).toEqual([RUN])
  })

  it('runs nothing of the folder, and says which files it could not read', async () => {
    writeFileSync(join(folder, 'evil.ts'), 'throw new Error("ran")')
    writeFileSync(join(folder, 'broken.toml'), '[[cases]]\nid = 3\n')
    const { code, said } = await trust({ yes: true })
    expect(code).toBe(2)
    expect(said).toContain('not looked at: ')
    expect(said).toContain('broken.toml')
    expect(allowed()).toEqual([RUN])
  })
})

describe('the gate', () => {
  const use = (): Use => ({
    ...{ does: 'send', variable: 'KEY', to: 'https://x.example', isSafe: false, for: 'm' },
    by: namedIn(join(folder, 'assay.toml')),
  })
  const silent = { err: () => {}, colors: pico.createColors(false) }

  it('asks once on a terminal, and remembers', async () => {
    let asked = 0
    const ask = (): Promise<string> => {
      asked++
      return Promise.resolve('yes')
    }
    const gate = trustGate({ env, ask }, silent)
    await gate.pass([use()])
    await gate.pass([use()])
    await trustGate({ env, ask: null }, silent).pass([use()])
    expect(asked).toBe(1)
  })

  it('passes nothing that was not answered, and changes nothing then', async () => {
    const gate = trustGate({ env, ask: () => Promise.resolve('n') }, silent)
    await expect(gate.pass([use()])).rejects.toThrow('is not trusted')
    expect(readTrust(env).roots.size).toBe(0)
  })

  it('says so where the store is damaged', async () => {
    mkdirSync(join(env.XDG_CONFIG_HOME, 'assay'), { recursive: true })
    writeFileSync(join(env.XDG_CONFIG_HOME, 'assay', 'trust.json'), '{')
    let said = ''
    const output = { ...silent, err: (text: string) => void (said += text) }
    const gate = trustGate({ env, ask: null }, output)
    expect(said).toContain('cannot be read, so nothing is trusted')
    await expect(gate.pass([use()])).rejects.toThrow('is not trusted')
  })
})
