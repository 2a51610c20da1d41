/**
 * Makes faulty variants of the reference by replacing the body of every function. Types and signatures stay the same,
 * so that the tests still compile. Assay uses the variants to check that the tests fail them.
 */
import type { Language } from '../../language.ts'
import { itemsOf } from './host/source/items.ts'
import { edited, read, type Edit } from './host/source/lex.ts'
import { refusal } from './host/silence.ts'

const PANIC = 'panic!("not done")'
/**
 * Matches types that have a default value, which the variant can return. A function that returns any other type
 * panics in the variant.
 */
const HAS_DEFAULT =
  /^(?:[iuf]\d+|[iu]size|bool|char|\(\)|&\s*(?:'\w+\s+)?str|(?:std::\w+::)?(?:String|(?:Vec|Option|HashMap|HashSet|BTreeMap|BTreeSet)\s*<[\s\S]*>))$/u

export const faulty: Language['faulty'] = (deed, _, reference) => {
  if (deed === 'empty') return '// nothing\n'
  // The variant `returns nothing` does not exist for Rust: the compiler requires each function to return its
  // declared type.
  if (deed === 'returns nothing' || reference === null || refusal(reference) !== null) return null
  const lexed = read(reference)
  const edits = itemsOf(lexed).flatMap(({ kind, name, body }): Edit[] => {
    const [open, close] = body ?? [-1, -1]
    const start = lexed.tokens[open]?.end
    const end = lexed.tokens[close]?.start
    if (kind !== 'fn' || start === undefined || end === undefined) return []
    const head = reference.slice(0, start - 1)
    const [, type = '()'] =
      /->\s*([\s\S]*?)\s*(?:\bwhere\b[\s\S]*)?$/u.exec(
        head.slice(head.lastIndexOf(`fn ${name}`)),
      ) ?? []
    const isConstant = deed === 'constant' && HAS_DEFAULT.test(type)
    return [{ start, end, text: ` ${isConstant ? 'Default::default()' : PANIC} ` }]
  })
  return edits.length === 0 ? null : edited(reference, edits)
}
