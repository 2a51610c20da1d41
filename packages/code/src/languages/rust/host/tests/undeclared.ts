/**
 * Finds crates that tests use but the case does not declare. A path such as `shapes::area` may begin with a crate or
 * with a module of the solution. So only well-known crates can be reported with certainty. For other crates, the
 * error appears when the case's reference is compiled.
 */
import type { CodeWork } from '../../../../language.ts'
import { rustSource } from '../source/source-reader.ts'

const WELL_KNOWN = new Set(
  (
    'anyhow approx arbitrary assert_approx_eq assert_cmd assert_matches async_std async_trait bytes chrono ' +
    'criterion crossbeam crossbeam_channel enum_iterator env_logger float_cmp futures hamcrest indoc indexmap insta ' +
    'itertools lazy_static log maplit mockall nalgebra ndarray num num_bigint num_traits once_cell ordered_float ' +
    'parameterized parking_lot permutohedron predicates pretty_assertions proptest quickcheck quickcheck_macros ' +
    'rand rand_chacha rayon regex reqwest rstest serde serde_json serial_test similar_asserts smallvec static_assertions ' +
    'strum tempfile test_case thiserror tokio tokio_test tracing unicode_segmentation uuid wasm_bindgen_test'
  ).split(' '),
)

const knownIn = (tests: string): string[] =>
  [
    ...new Set([
      ...rustSource.imports(tests).map(({ name }) => name),
      ...[...rustSource.bare(tests).text.matchAll(/\bextern\s+crate\s+(\w+)/gu)].map(
        ([, name = '']) => name,
      ),
    ]),
  ].filter((name) => WELL_KNOWN.has(name))

export const hasUnknownCrate = (tests: string): boolean => knownIn(tests).length > 0

/** Returns why the tests cannot be compiled, or null if no undeclared crate was found. */
export function undeclaredIn(
  tests: string,
  { module, dependencies, support }: Pick<CodeWork, 'module' | 'dependencies' | 'support'>,
): string | null {
  const provided = new Set([
    ...dependencies.map(({ name }) => rustSource.moduleOf(name)),
    ...Object.keys(support).map((path) => rustSource.moduleOf(path)),
  ])
  const isUnit = /\buse\s+super\s*::/u.test(rustSource.bare(tests).text)
  // If the tests import the solution under the name of a well-known crate (`module`), that name does not mean the
  // crate, so the crate is not missing. But if the tests use the solution through `use super::`, the name does mean the
  // crate.
  const missing = knownIn(tests).find((name) => !provided.has(name) && (name !== module || isUnit))
  if (missing === undefined) return null
  return `they use the crate ${missing}, which the case does not declare: add it to dependencies`
}
