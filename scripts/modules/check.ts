/** Checks all source files against the table of modules. Reports each violation in one line. */
import { dirname, join, posix } from 'node:path'
import { parseSync } from 'oxc-parser'
import { DATA_FOLDERS, modules, MOST_FILES, packageEntries, type Module } from './table.ts'

/** The source texts by path. Paths start at the root of the repository and have forward slashes. */
export type Tree = ReadonlyMap<string, string>

export interface Import {
  readonly from: string
  readonly to: string
}

export function checkModules(tree: Tree, allFiles: readonly string[] = [...tree.keys()]): string[] {
  const imports = importsIn(tree)
  return [
    ...imports.flatMap((one) => directionFaults(one)),
    ...cycleFaults(imports),
    ...folderFaults(allFiles),
  ]
}

/** Returns the imports between source files, including imports of types. Tests are not checked. */
export function importsIn(tree: Tree): Import[] {
  const found: Import[] = []
  for (const [from, text] of tree) {
    const { module } = parseSync(from, text)
    const specifiers = [
      ...module.staticImports.map((one) => one.moduleRequest.value),
      ...module.staticExports.flatMap(({ entries }) =>
        entries.flatMap(({ moduleRequest }) =>
          moduleRequest === null ? [] : [moduleRequest.value],
        ),
      ),
      ...module.dynamicImports.flatMap(({ moduleRequest: { start, end } }) => {
        const literal = /^(['"`])([^$]*)\1$/s.exec(text.slice(start, end).trim())
        return literal?.[2] === undefined ? [] : [literal[2]]
      }),
      // The type `typeof import('./x.ts')` needs the other module too. The parser does not list it as an import, so it
      // is searched for in the text.
      ...Array.from(text.matchAll(/\btypeof import\('([^']+)'\)/g), ([, name = '']) => name),
    ]
    for (const specifier of new Set(specifiers)) {
      const to = specifier.startsWith('.')
        ? posix.join(posix.dirname(from), specifier)
        : packageEntries.get(specifier)
      if (to !== undefined && to !== from) found.push({ from, to })
    }
  }
  return found
}

/** Returns the module with the longest path that contains the file. */
export function moduleOf(file: string): readonly [string, Module] | null {
  let best: readonly [string, Module] | null = null
  for (const entry of modules)
    if (file.startsWith(`${entry[1].path}/`) && entry[1].path.length > (best?.[1].path.length ?? 0))
      best = entry
  return best
}

function directionFaults({ from, to }: Import): string[] {
  const own = moduleOf(from)
  const other = moduleOf(to)
  if (own === null || other === null || own[0] === other[0]) return []
  const [name, { imports }] = own
  const [otherName, { path, entries }] = other
  // `version.ts` is directly in packages/assay/src and in no folder. Every module may import it.
  const isRootFile = otherName === 'assay' && entries.includes(posix.relative(path, to))
  if (!imports.includes(otherName) && !(isRootFile && to.endsWith('version.ts')))
    return [`${from} imports ${to}: ${name} must not import ${otherName}`]
  if (!entries.includes(posix.relative(path, to)))
    return [`${from} imports ${to}: import ${otherName} through ${entries.join(' or ')}`]
  return []
}

/** Returns one line for each group of files that import each other in a circle. */
export function cycleFaults(imports: readonly Import[]): string[] {
  const next = new Map<string, string[]>()
  for (const { from, to } of imports) next.set(from, [...(next.get(from) ?? []), to])
  const index = new Map<string, number>()
  const low = new Map<string, number>()
  const stack: string[] = []
  const onStack = new Set<string>()
  const cycles: string[][] = []
  // Tarjan's algorithm for strongly connected components.
  const visit = (file: string): void => {
    index.set(file, index.size)
    low.set(file, index.get(file) ?? 0)
    stack.push(file)
    onStack.add(file)
    for (const to of next.get(file) ?? []) {
      if (!index.has(to)) visit(to)
      if (onStack.has(to))
        low.set(file, Math.min(low.get(file) ?? 0, low.get(to) ?? 0, index.get(to) ?? 0))
    }
    if (low.get(file) !== index.get(file)) return
    const group: string[] = []
    for (let last = stack.pop(); last !== undefined; last = stack.pop()) {
      onStack.delete(last)
      group.push(last)
      if (last === file) break
    }
    if (group.length > 1) cycles.push(group.toSorted())
  }
  for (const file of next.keys()) if (!index.has(file)) visit(file)
  return cycles.map((group) => `these files import each other: ${group.join(', ')}`)
}

function folderFaults(files: readonly string[]): string[] {
  const counts = new Map<string, number>()
  for (const file of files) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1)
  return [...counts]
    .filter(([folder, count]) => count > MOST_FILES && !DATA_FOLDERS.includes(join(folder)))
    .map(([folder, count]) => `${folder} has ${count} files, at most ${MOST_FILES} are allowed`)
}
