/**
 * Refuses tests that import a file which nobody provides. The case alone decides this: its tests, its files, and the
 * modules that an answer is expected to provide.
 */
import type { CodeWork } from '../../../language.ts'
import { TestsFault } from '../../../fault/tests-fault.ts'
import type { PreparedTests } from '../sandboxed/analyze/prepared.ts'
import { stemOf } from '../sandboxed/solution-modules.ts'
import { scriptSource } from './source-reader.ts'

/** Throws `TestsFault` if the tests, or a file of the case that they import, load a file that nobody provides. */
export function refuseMissingFiles(
  { modules, module, support }: Pick<CodeWork, 'modules' | 'module' | 'support'>,
  { needed, mocksModules }: PreparedTests,
): void {
  // A mock may replace a file that does not exist.
  if (modules === undefined || mocksModules) return
  const files = new Map(
    Object.entries(support).map(([path, source]) => [stemOf(path), [path, source]]),
  )
  const answered = new Set([...modules, 'solution'])
  const isThere = (stem: string): boolean => answered.has(stem) || files.has(stem)
  const refuse = (who: string, what: string): never => {
    const own = module === null ? '' : ` (the solution is ${module})`
    throw new TestsFault(
      `${who} ${what}, which the files of the case do not contain and no answer is asked for${own}`,
    )
  }
  const local = needed.filter((one) => /^\.{1,2}\/./.test(one))
  for (const specifier of local) if (!isThere(stemOf(specifier))) refuse('they import', specifier)
  const reached = new Set(local.map(stemOf))
  // New entries are visited too, while the loop runs.
  for (const stem of reached) {
    const [path = '', source = ''] = files.get(stem) ?? []
    if (path.endsWith('.json')) continue
    for (const { name } of scriptSource.imports(source))
      if (isThere(name)) reached.add(name)
      else refuse(`${path} imports`, name)
  }
}
