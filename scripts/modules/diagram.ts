/** The table of modules as CONTRIBUTING.md shows it: one row each, and a picture of who imports whom. */
import { modules } from './table.ts'

export const BEGIN = '<!-- modules: written by `npm run modules` -->'
export const END = '<!-- end of modules -->'

/** Libraries that nearly every module imports would hide the rest of the picture. */
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

/** Those that no other import of the module imports itself. */
function direct(name: string, imports: readonly string[]): string[] {
  const shown = imports.filter((one) => !EVERYWHERE.has(one) && !EVERYWHERE.has(name))
  return shown.filter((one) => !shown.some((other) => other !== one && reaches(other, one)))
}

function reaches(from: string, to: string): boolean {
  const imports = modules.get(from)?.imports ?? []
  return imports.includes(to) || imports.some((next) => reaches(next, to))
}

/** A page with its part about modules replaced. */
export function withModules(page: string): string {
  const [before, rest = ''] = page.split(BEGIN)
  const after = rest.split(END)[1]
  if (before === undefined || after === undefined)
    throw new Error('the page has no place for the modules')
  return `${before}${modulesText()}${after}`
}
