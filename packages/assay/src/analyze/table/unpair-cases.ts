/**
 * Keeps the cases of different subjects separate if equal names do not mean the same case. Row numbers are an example:
 * the third row of one subject has nothing to do with the third row of another. Pairing them would compare different
 * cases as if they were the same. To prevent this, each case gets the name of its subject as a prefix, so that no two
 * subjects share a case.
 */
import { counted } from '../../text/index.ts'
import { Pairs } from './dictionary.ts'
import type { ResultTable } from './result-table.ts'

/**
 * Renames the cases if the user says so, or if the texts of most shared cases differ between subjects. Returns notes
 * about this.
 */
export function unpairCases(
  table: ResultTable,
  names: readonly string[],
  wish: boolean | undefined,
): string[] {
  const { shared, different } = table.texts.compare()
  const title = table.texts.column === null ? '' : ` ("${table.texts.column}")`
  if (wish !== true && (wish === false || different * 2 <= shared)) {
    if (different === 0) return []
    return [
      `${different} of ${counted(shared, 'case')} that subjects share have different texts${title}: if they are different cases, --unpaired keeps them apart`,
    ]
  }
  const renamed = new Pairs()
  const ids: number[] = []
  for (let row = 0; row < table.rows; row++) {
    const [subject, one] = [table.subjectAt(row), table.caseAt(row)]
    const pair = renamed.idOf(subject, one)
    const known = ids[pair]
    if (known === undefined)
      ids[pair] = table.renameCase(row, `${names[subject]}: ${table.cases.names[one]}`)
    else table.setCase(row, known)
  }
  return [
    wish === true
      ? 'cases of different subjects are different cases, as --unpaired says'
      : `a case is another one for each subject: ${different} of ${counted(shared, 'case')} of the same name have different texts${title}; --paired compares them all the same`,
  ]
}
