/** Makes the stand-in of a case: a generated solution that accepts every call. It comes from the tests alone. */
import type { Case } from '@assay/contract'
import type { Extracted } from '../extract/extract.ts'
import type { Language } from '../language.ts'

export function standInFor(one: Case, language: Language): Extracted {
  // Some languages have no stand-in. Then the solution is empty, which still shows whether the tests are a valid
  // program.
  const source = language.standIn(namesIn(one)) ?? ''
  return { files: { [language.main]: source }, main: language.main }
}

const MOST_NAMES = 2000

/** Returns every identifier in the tests, because each could be a name that the solution must define. */
function namesIn({ tests, entryPoint }: Case): string[] {
  const names = new Set(entryPoint === null ? [] : [entryPoint])
  for (const [name] of (tests ?? '').matchAll(/[\p{L}_][\p{L}\p{N}_]*/gu)) names.add(name)
  names.delete('default')
  return [...names].slice(0, MOST_NAMES)
}
