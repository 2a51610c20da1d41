/**
 * Tests that the guide is correct. Every command in README.md, docs and the examples is run as it is printed, and its output
 * must be the one on the page. Each page starts in its own empty folder, that of an example in a copy of its folder. HTML
 * comments before a block give instructions to this test:
 *
 *     <!-- not run: why -->     the commands that follow need a key, a network or an installation
 *     <!-- exits 2 -->          the last command that follows ends with this code, not with 0
 *     <!-- file: NAME -->       what follows is a file that later commands of the page use
 *     <!-- needs: bubblewrap --> the page is skipped where there is none
 *
 * A ```text block after commands is their output. A line of `…` in it stands for any lines. Times, and figures
 * computed from them, may differ. After an intended change, `ASSAY_WRITE_DOCS=1 npx vitest run test/docs.test.ts`
 * writes the outputs again. Read what it changed.
 */
import { spawn } from 'node:child_process'
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inspectSandbox } from '@assay/sandbox'
import { assayHere } from './assay-here.ts'
import { command, machine } from './command.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const rewrite = process.env['ASSAY_WRITE_DOCS'] === '1'

interface Block {
  readonly language: string
  readonly text: string
  /** The HTML comment directly before the block. Empty if there is none. */
  readonly remark: string
  /** Where the text of the block begins and ends in the page. */
  readonly start: number
  readonly end: number
}

const FENCE = /(?:<!--\s*((?:not run|exits|file)\b[^>]*?)\s*-->\n+)?^```(\w*)\n([^]*?)^```$/gm

function blocksOf(page: string): Block[] {
  return [...page.matchAll(FENCE)].map((match) => {
    const [whole, remark = '', language = '', text = ''] = match
    const end = match.index + whole.length - '```'.length
    return { language, text, remark, start: end - text.length, end }
  })
}

/** The commands in the order of the page, each with the output that the page prints after it. */
interface Step {
  readonly kind: 'file' | 'commands'
  readonly name: string
  readonly text: string
  readonly code: number
  readonly output: Block | null
}

function stepsOf(blocks: readonly Block[]): Step[] {
  return blocks.flatMap((block, i): Step[] => {
    const { language, text, remark } = block
    const name = /^file: (\S+)$/.exec(remark)?.[1]
    if (name !== undefined) return [{ kind: 'file', name, text, code: 0, output: null }]
    if (language !== 'sh' || remark.startsWith('not run:') || text.startsWith('npm ci')) return []
    const code = Number(/^exits (\d+)$/.exec(remark)?.[1] ?? 0)
    const next = blocks[i + 1]
    const output = next?.language === 'text' ? next : null
    return [{ kind: 'commands', name: text.trim(), text, code, output }]
  })
}

interface Printed {
  readonly code: number | null
  readonly output: string
}

/** Nothing of the person who runs the tests: no keys, colours, settings of providers, trust. */
const environment = (cwd: string, bin: string): NodeJS.ProcessEnv => {
  const { LANG = 'C.UTF-8' } = process.env
  const { PATH = '', ...rest } = machine()
  const own = { LANG, NO_COLOR: '1', XDG_CONFIG_HOME: `${cwd}-config` }
  return { ...rest, ...own, PATH: `${bin}:${PATH}` }
}

function shell(script: string, cwd: string, bin: string): Promise<Printed> {
  const child = spawn('sh', ['-e', '-c', `exec 2>&1\n${script}`], {
    cwd,
    env: environment(cwd, bin),
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: 170_000,
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, output }))
  })
}

/** A word that means the same to a shell as to us: bare, or in quotes that hold nothing to expand. */
const WORD = /^(?:([\w@%+=:,./-]+)|'([^']*)'|"([^"$`\\]*)")(?: +|$)/

/** Returns the words of each line. Null if a line is anything but the command with plain words. */
function plainCommands(script: string): string[][] | null {
  const commands: string[][] = []
  for (const line of script.replaceAll(/\\\n\s*/g, '').split('\n')) {
    if (line === '' || line.startsWith('#')) continue
    const words: string[] = []
    for (let rest = line; rest !== '';) {
      const [whole, bare, single, double] = WORD.exec(rest) ?? []
      if (whole === undefined) return null
      words.push(bare ?? single ?? double ?? '')
      rest = rest.slice(whole.length)
    }
    const [program, ...args] = words
    if (program !== 'assay') return null
    commands.push(args)
  }
  return commands
}

/** The commands of these pages are started in a shell, each in its own process. */
const STARTED = new Set(['README.md', 'docs/guides/first-suite.md', 'docs/reference/trust.md'])

/** As `shell`. Plain commands of most pages need no process of their own, which is much quicker. */
async function perform(page: string, script: string, cwd: string, bin: string): Promise<Printed> {
  const commands = STARTED.has(page) ? null : plainCommands(script)
  if (commands === null) return shell(script, cwd, bin)
  let output = ''
  for (const words of commands) {
    const { code, said } = await assayHere(words, { cwd, env: environment(cwd, bin) })
    output += said
    if (code !== 0) return { code, output }
  }
  return { code: 0, output }
}

/** Run folders are named by their start time, and runs have random ids. */
const settled = (text: string): string =>
  text
    .replaceAll(/\b\d{8}-\d{6}(?:-(?=\D))/g, 'TIME-')
    // These lines are printed only if a run takes some time.
    .replaceAll(/^\S+ of \S+ trials done\n/gm, '')
    .replaceAll(/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/"(answer|wait|grade)Ms":[\d.]+/g, '"$1Ms":0')
    // The times of an agent's steps.
    .replaceAll(/\+\d+\.\ds\b/g, '+0.0s')
    .replaceAll(/\(\d[\d.]* (?:ms|s)\)/g, '(0 ms)')
    .replaceAll(/, started [\w ,]+? ago,/g, ', started some time ago,')
    .replaceAll(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, 'ID')
    .replaceAll(/(TIME-[\w.+-]*?)-\d+(?= |$)/gm, '$1')
    .replaceAll(/[ \t]+$/gm, '')
    .trimEnd()

/** True if the output is what the page says. A line `…` stands for any lines. */
function agrees(output: string, said: string): boolean {
  const parts = settled(said).split(/^…$/m)
  const escaped = parts.map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
  return new RegExp(`^${escaped.join('[^]*')}$`).test(settled(output))
}

const isExample = (page: string): boolean => page.startsWith('examples/')

const pages = [
  'README.md',
  ...(await readdir(join(root, 'docs'), { recursive: true }))
    .filter((name) => !name.startsWith('design'))
    .map((name) => `docs/${name}`),
  ...(await readdir(join(root, 'examples'), { withFileTypes: true }))
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `examples/${name}/README.md`),
]
  .filter((name) => name.endsWith('.md'))
  .toSorted((a, b) => (a < b ? -1 : 1))

const sandbox = await inspectSandbox()
const texts = new Map<string, string>()
for (const name of pages) texts.set(name, await readFile(join(root, name), 'utf8'))
const lacks = (name: string): boolean =>
  !sandbox.ready && texts.get(name)?.includes('<!-- needs: bubblewrap -->') === true

let bin: string

beforeAll(async () => {
  bin = await mkdtemp(join(tmpdir(), 'assay-docs-bin-'))
  await writeFile(join(bin, 'assay'), `#!/bin/sh\nexec "${process.execPath}" "${command}" "$@"\n`)
  await chmod(join(bin, 'assay'), 0o755)
})

afterAll(() => rm(bin, { recursive: true, force: true }))

/**
 * A page has dozens of commands, and the machine may be slow. This limit only ends a command that would never end.
 */
const PAGE_MS = 1_200_000

describe.concurrent('the commands of', () => {
  for (const name of pages) {
    it.skipIf(lacks(name))(
      `${name} do what the page says`,
      async ({ expect: expected }) => {
        const page = await readFile(join(root, name), 'utf8')
        const folder = await mkdtemp(join(tmpdir(), 'assay-docs-'))
        // The folder has the permissions of an ordinary project. If the tests run as root, sandboxed graders run as
        // another user.
        await chmod(folder, 0o755)
        if (isExample(name)) await cp(join(root, dirname(name)), folder, { recursive: true })
        const written: [Block, string][] = []
        try {
          for (const step of stepsOf(blocksOf(page))) {
            if (step.kind === 'file') {
              await mkdir(dirname(join(folder, step.name)), { recursive: true })
              await writeFile(join(folder, step.name), step.text)
              continue
            }
            const { code, output } = await perform(name, step.text, folder, bin)
            expected(code, `${step.name}\n${output}`).toBe(step.code)
            if (step.output === null || agrees(output, step.output.text)) continue
            if (rewrite && !/^…$/m.test(step.output.text)) written.push([step.output, output])
            else expected(settled(output), step.name).toBe(settled(step.output.text))
          }
          if (written.length > 0) await writeFile(join(root, name), withOutputs(page, written))
        } finally {
          await rm(folder, { recursive: true, force: true })
          await rm(`${folder}-config`, { recursive: true, force: true })
        }
      },
      PAGE_MS,
    )
  }
})

function withOutputs(page: string, written: readonly (readonly [Block, string])[]): string {
  let text = page
  for (const [{ start, end }, output] of written.toReversed())
    text = `${text.slice(0, start)}${output.trimEnd()}\n${text.slice(end)}`
  return text
}

describe('the links of', () => {
  for (const name of pages) {
    it(`${name} lead somewhere`, async () => {
      const page = await readFile(join(root, name), 'utf8')
      const targets = [...page.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(
        ([, target = '']) => target,
      )
      const missing: string[] = []
      for (const target of targets)
        await readFile(join(root, dirname(name), target)).catch((error: NodeJS.ErrnoException) => {
          if (error.code === 'ENOENT') missing.push(target)
        })
      expect(missing).toEqual([])
    })
  }
})

describe('the guide', () => {
  const inFolder = (folder: string): string[] =>
    pages.filter((name) => name.startsWith(`docs/${folder}/`))
  const textOf = (name: string): string => texts.get(name) ?? ''

  it('is separate from the reference, and each page leads to the other', () => {
    expect(inFolder('guides').filter((name) => !textOf(name).includes('](../reference/'))).toEqual(
      [],
    )
    expect(inFolder('reference').filter((name) => !textOf(name).includes('](../guides/'))).toEqual(
      [],
    )
  })

  it('lists every page in docs/README.md', () => {
    const contents = textOf('docs/README.md')
    const listed = [...inFolder('guides'), ...inFolder('reference')]
    expect(listed.filter((name) => !contents.includes(`](${name.slice('docs/'.length)})`))).toEqual(
      [],
    )
  })
})
