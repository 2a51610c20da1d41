/**
 * Tests that what CONTRIBUTING.md says about this repository is true: its files, commands, names, and how to add
 * things.
 */
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from './modules/read-tree.ts'

const page = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')

/** The text of each section, by its title. */
const sections = new Map(
  page
    .split(/^## /m)
    .slice(1)
    .map((text) => [text.slice(0, text.indexOf('\n')), text] as const),
)

const quoted = (text: string): string[] =>
  Array.from(text.matchAll(/`([^`\n]+)`/g), ([, one = '']) => one)

/** True if a word is a path: it has a slash and no space, or the ending of a file. */
const isPath = (word: string): boolean =>
  /^[\w.@{},/-]+$/.test(word) && (/^[\w.]+\/./.test(word) || /\.(ts|md|toml|json)$/.test(word))

/**
 * Returns the paths for a path with `{a,b}` or with a placeholder in capital letters, which stands for any name.
 */
const found = (folder: string, path: string): string[] =>
  globSync(path.replaceAll(/\b[A-Z]{4,}\b(?=\.|\/|$)/g, '*'), { cwd: join(root, folder) }).map(
    (one) => join(folder, one),
  )

/**
 * Returns the files that a section names, from the root of the repository or near a folder or file that the section
 * names.
 */
function filesOf(text: string): Map<string, string[]> {
  const paths = quoted(text).filter(isPath)
  const folders = paths
    .filter((path) => existsSync(join(root, path)))
    .flatMap((path) => (/\.\w+$/.test(path) ? [dirname(path)] : [path, dirname(path)]))
  return new Map(
    paths.map((path) => [
      path,
      ['', 'packages/assay/src', 'packages/metrics/src', ...folders].flatMap((folder) =>
        found(folder, path),
      ),
    ]),
  )
}

describe('CONTRIBUTING.md', () => {
  it.each([...sections])('names files that exist: %s', (_, text) => {
    for (const [path, files] of filesOf(text)) {
      const choices = (/\{([^}]*)\}/.exec(path)?.[1] ?? '').split(',').length
      expect(files.length, path).toBeGreaterThanOrEqual(choices)
    }
  })

  it('names commands that package.json has', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
    const named = Array.from(page.matchAll(/npm run ([\w:]+)/g), ([, name = '']) => name)
    expect(named.length).toBeGreaterThan(5)
    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(named))
  })

  it.each(
    ['grader', 'provider of models', 'agent', 'report format', 'command', 'language', 'metric'].map(
      (what) => `Add a${/^[aeiou]/.test(what) ? 'n' : ''} ${what}`,
    ),
  )('says how to %s, with names that the files of the section declare', (title) => {
    const text = sections.get(title)
    expect(text, title).toBeDefined()
    const sources = [...filesOf(text ?? '').values()]
      .flat()
      .filter((file) => file.endsWith('.ts'))
      .map(read)
      .join('\n')
    const names = quoted(text ?? '').filter(
      (word) => /^[A-Z]\w+$/.test(word) && word !== 'RangeError',
    )
    for (const name of names)
      expect(sources, name).toMatch(
        new RegExp(`\\b(const|interface|type|class|function) ${name}\\b`),
      )
  })
})

describe('what CONTRIBUTING.md says to register is registered', () => {
  const namesIn = (folder: string, ending: RegExp): string[] =>
    readdirSync(join(root, folder), { withFileTypes: true })
      .filter((entry) => (entry.isDirectory() ? ending.test('/') : ending.test(entry.name)))
      .map(({ name }) => name)

  it('languages and agents: every folder', () => {
    const languages = read('packages/code/src/languages.ts')
    for (const name of namesIn('packages/code/src/languages', /^\/$/))
      expect(languages).toContain(`./languages/${name}/`)
    const agents = read('packages/assay/src/subject/agent/agents.ts')
    const kinds = namesIn('packages/assay/src/subject/agent', /^\/$/).filter((name) =>
      existsSync(join(root, 'packages/assay/src/subject/agent', name, `${name}.ts`)),
    )
    expect(kinds).not.toEqual([])
    for (const name of kinds) expect(agents).toContain(`./${name}/${name}.ts`)
  })

  it('graders, report formats and commands: every file that declares one', () => {
    const declaring = (pattern: string, type: RegExp): string[] =>
      globSync(pattern, { cwd: root }).filter(
        (file) => !file.endsWith('.test.ts') && type.test(read(file)),
      )
    const expectNamed = (files: readonly string[], registry: string): void => {
      expect(files.length, registry).toBeGreaterThan(4)
      const text = read(registry)
      for (const file of files) expect(text, registry).toContain(`/${file.split('/').at(-1)}'`)
    }
    expectNamed(
      declaring('packages/assay/src/grade/*/*.ts', /^export const \w+(: Grader\b| = grader\()/m),
      'packages/assay/src/grade/graders.ts',
    )
    expectNamed(
      declaring('packages/assay/src/report/formats/*.ts', /^export const \w+: ReportFormat =/m),
      'packages/assay/src/report/formats/formats.ts',
    )
    const commands = declaring(
      'packages/assay/src/cli/commands/**/*.ts',
      /^export (async )?function \w+Command\(/m,
    )
    expect(commands.length).toBeGreaterThan(10)
    const registry = read('packages/assay/src/cli/commands/commands.ts')
    for (const file of commands) {
      const name = file.split('/').at(-2) ?? ''
      expect(file).toBe(`packages/assay/src/cli/commands/${name}/${name}.ts`)
      expect(registry, file).toContain(`'./${name}/flags.ts'`)
      const flags = read(file.replace(/[^/]+$/, 'flags.ts'))
      expect(flags).toContain(`.command('${name}')`)
      expect(flags, 'the command is imported when it is called').toContain(
        `await import('./${name}.ts')`,
      )
    }
  })
})
