/** `assay run --watch` with injected changes of files, and once with real ones. */
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pico from 'picocolors'
import { describe, expect, it, onTestFinished } from 'vitest'
import { suiteFolder } from '../../../../../test/suite-folder.ts'
import { formatWarning } from '../../../../documents/index.ts'
import { namedIn } from '../../../../trust/index.ts'
import { warn, type Output } from '../../../output/output.ts'
import type { RunFlags } from '../../../settings/run-flags.ts'
import { trustGate } from '../../../trust/require-trust.ts'
import { FolderWatch, type Changes } from './folder-watch.ts'
import { quiet, runAndWatch } from './watch.ts'

const EVALS = `
import { shout } from './shout.ts'
export default {
  id: 'shouts',
  cases: [{ id: 'a', input: 'a', expected: 'A' }, { id: 'b', input: 'b', expected: 'B' }],
  subjects: { ours: ({ input }: { input: string }) => shout(input) },
  graders: [({ output, expected }: { output: unknown; expected: unknown }) => output === expected],
}
`
const SUITE = (first: string): string => `
id = "texts"
cases = [
  { id = "one", prompt = "${first}", reference = "yes", faulty = ["no"], graders = [{ type = "equals", value = "yes" }] },
  { id = "two", prompt = "Say yes", reference = "yes", faulty = ["no"], graders = [{ type = "equals", value = "yes" }] },
]
`

/** Each step changes files and returns their names. After the last step the watch ends. */
type Step = () => readonly string[]

function injected(steps: readonly Step[]): Changes {
  const left = [...steps]
  return { add: () => {}, next: async () => left.shift()?.() ?? null, close: () => {} }
}

/** Runs in the folder, and returns what was printed to each stream. */
async function watched(folder: string, flags: Partial<RunFlags>, changes: Changes) {
  const before = process.cwd()
  process.chdir(folder)
  onTestFinished(() => process.chdir(before))
  let printed = ''
  const add = (text: string): void => void (printed += text)
  const output: Output = {
    out: add,
    err: add,
    ready: () => null,
    isTerminal: false,
    outIsTerminal: false,
    width: 100,
    colors: pico.createColors(false),
  }
  expect(await runAndWatch({ suites: [], watch: true, ...flags }, output, changes)).toBe(0)
  return { printed: () => printed }
}

const runsOf = (folder: string): number =>
  readdirSync(join(folder, '.assay/runs')).filter(
    (name) => !name.startsWith('.') && existsSync(join(folder, '.assay/runs', name, 'run.json')),
  ).length

describe('a watched run', () => {
  it('runs functions again when a module that they import changes, and says which results changed', async () => {
    const folder = await suiteFolder({
      'x.eval.ts': EVALS,
      'shout.ts': 'export const shout = (text: string): string => text\n',
    })
    const steps: Step[] = [
      () => {
        writeFileSync(
          join(folder, 'shout.ts'),
          "export const shout = (text: string): string => text === 'a' ? 'A' : text\n",
        )
        return [join(folder, 'shout.ts')]
      },
      // A file that nothing uses.
      () => {
        writeFileSync(join(folder, 'notes.md'), 'x')
        return [join(folder, 'notes.md')]
      },
      // A file in the middle of an edit is an error that does not end the watch.
      () => {
        writeFileSync(join(folder, 'shout.ts'), 'export const shout = (')
        return [join(folder, 'shout.ts')]
      },
      () => {
        writeFileSync(
          join(folder, 'shout.ts'),
          'export const shout = (text: string): string => text.toUpperCase()\n',
        )
        return [join(folder, 'shout.ts')]
      },
    ]
    const { printed } = await watched(folder, { suites: ['x.eval.ts'] }, injected(steps))
    const text = printed()
    expect(text).toContain('2 planned = 0 passed + 2 failed')
    const [, second = '', third = ''] = text.split('shout.ts changed: 2 cases run again')
    expect(second).toMatch(
      /a +ours +0\/1 +1\/1 +better\n1 result changed, 1 as before\nall results: 1\/2 trials passed/,
    )
    expect(second).toContain('error: ')
    expect(third).toMatch(/b +ours +0\/1 +1\/1 +better/)
    expect(third).toContain('all results: 2/2 trials passed')
    expect(runsOf(folder)).toBe(3)
  })

  it('runs only the cases of a suite that changed', async () => {
    const folder = await suiteFolder({ 's.toml': SUITE('Say yes') })
    const edit = (): readonly string[] => {
      writeFileSync(join(folder, 's.toml'), SUITE('Please say yes'))
      return [join(folder, 's.toml')]
    }
    const flags = { suites: ['s.toml'], model: ['simulated:pass=1'] }
    const { printed } = await watched(folder, flags, injected([edit]))
    expect(printed()).toContain('s.toml changed: 1 case run again')
    expect(printed()).toContain('no result changed: 1 result as before')
    expect(printed()).toContain('all results: 2/2 trials passed')
  })

  it('runs only the prompt that changed', async () => {
    const suite =
      'id = "p"\nprompts = ["a.md", "b.md"]\ncases = [{ id = "c", vars = { x = "1" }, reference = "yes", faulty = ["no"], graders = [{ type = "equals", value = "yes" }] }]\n'
    const folder = await suiteFolder({ 's.toml': suite, 'a.md': 'A {{ x }}', 'b.md': 'B {{ x }}' })
    const edit = (): readonly string[] => {
      writeFileSync(join(folder, 'b.md'), 'Other {{ x }}')
      return [join(folder, 'b.md')]
    }
    const flags = { suites: ['s.toml'], model: ['simulated:pass=1'] }
    const { printed } = await watched(folder, flags, injected([edit]))
    expect(printed()).toContain('2 planned = 2 passed')
    expect(printed()).toContain('b.md changed: 1 case run again')
    expect(printed()).toContain('no result changed: 1 result as before')
  })

  it.each([false, true])(
    'shows what it is to trust, also with the word of a warning in it, and no warnings (colors: %s)',
    async (isColored) => {
      const folder = await suiteFolder({ 's.toml': SUITE('Say yes') })
      let printed = ''
      const output = quiet({
        ...{ out: () => {}, err: (text) => void (printed += text), ready: () => null },
        ...{ isTerminal: true, outIsTerminal: true, width: 100 },
        colors: pico.createColors(isColored),
      })
      warn(output, 'seen before')
      output.err(`${formatWarning({ file: 's.toml', line: 3, text: 'seen before' })}\n`)
      const gate = trustGate({ env: { XDG_CONFIG_HOME: folder }, ask: async () => 'n' }, output)
      const by = namedIn(join(folder, 's.toml'))
      const words = ['/bin/sh', '-c', 'evil; true x: warning: y']
      const asked = gate.pass([{ does: 'start', words, in: folder, by, for: 'grader' }])
      await expect(asked).rejects.toThrow('not trusted')
      expect(printed).toContain(`start /bin/sh -c '${words[2]}'`)
      expect(printed).not.toContain('seen before')
    },
  )

  it('sees a real change of a file, and ends', async () => {
    const folder = await suiteFolder({ 's.toml': SUITE('Say yes') })
    const real = new FolderWatch()
    let waits = 0
    const changes: Changes = {
      add: (folders) => real.add(folders),
      next: async () => {
        if (waits++ > 0) return null
        writeFileSync(join(folder, 's.toml'), SUITE('Answer yes'))
        return await real.next()
      },
      close: () => real.close(),
    }
    const flags = { suites: ['s.toml'], model: ['simulated:pass=1'] }
    const { printed } = await watched(folder, flags, changes)
    expect(printed()).toContain('s.toml changed: 1 case run again')
  })

  it('refuses flags of a single run', async () => {
    const folder = await suiteFolder({ 's.toml': SUITE('x') })
    await expect(watched(folder, { output: 'x' }, injected([]))).rejects.toThrow(
      'leave --output out',
    )
  })
})
