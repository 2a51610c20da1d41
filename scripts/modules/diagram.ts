/**
 * Formats the table of modules for CONTRIBUTING.md: one row for each module, and a diagram of which module imports
 * which.
 */
import { modules } from './table.ts'

export const BEGIN = '<!-- modules: written by `npm run modules` -->'
export const END = '<!-- end of modules -->'

/** Nearly every module imports these libraries, so they are left out of the diagram. */
const EVERYWHERE: ReadonlySet<string> = new Set(['metrics', 'contract', 'text', 'documents'])

export function modulesText(): string {
  const rows = [...modules].map(
    ([name, { path, about, imports }]) =>
      `| ${name} | \`${path}\` | ${about} | ${imports.join(', ') || '–'} |`,
  )
  const edges = [...modules].flatMap(([name, { imports }]) =>
    direct(name, imports).map((to) => `  ${name} --> ${to}`),
  )
  return [
    BEGIN,
    '',
    '| module | folder | what | may import |',
    '|---|---|---|---|',
    ...rows,
    '',
    'An arrow means "imports". metrics, contract, text and documents are left out of the picture, and so is',
    'an arrow that two others make up for.',
    '',
    '```mermaid',
    'flowchart TD',
    ...edges,
    '```',
    '',
    END,
  ].join('\n')
}

/**
 * Returns the imports to draw. An import is left out if another import of the module already leads to it, because that
 * arrow would add nothing.
 */
function direct(name: string, imports: readonly string[]): string[] {
  const shown = imports.filter((one) => !EVERYWHERE.has(one) && !EVERYWHERE.has(name))
  return shown.filter((one) => !shown.some((other) => other !== one && reaches(other, one)))
}

function reaches(from: string, to: string): boolean {
  const imports = modules.get(from)?.imports ?? []
  return imports.includes(to) || imports.some((next) => reaches(next, to))
}

/** Returns the text of a page in which the section about modules is replaced by the current one. */
export function withModules(page: string): string {
  const [before, rest = ''] = page.split(BEGIN)
  const after = rest.split(END)[1]
  if (before === undefined || after === undefined)
    throw new Error('the page has no place for the modules')
  return `${before}${modulesText()}${after}`
}
