/**
 * Canaries: tests with a known result that are added to the hidden test files, under names made for the trial. If one
 * of them is missing or has another result than it must have, the results of the others cannot be believed either.
 * There are three kinds: a test that must pass and one that must fail, whatever the work does; copies of named tests
 * with another expected value, which must fail where their originals pass; and expressions of the suite that are false.
 *
 * They show tampering with all results at once: a process that ends itself, changed assertions, objects that are equal
 * to everything, replaced runners and reporters. They do not show work that reads the tests in its own process and forges
 * exactly the results that it needs.
 */
import { randomBytes, randomInt } from 'node:crypto'
import { leafOf, type Dialect, type PlainTest } from './dialect.ts'

export interface Canary {
  readonly name: string
  readonly must: 'passed' | 'failed'
  /** The named test that it is a copy of. */
  readonly of?: string
  /** It must fail only if the work is right. */
  readonly ofWork: boolean
}

export interface Planted {
  /** The sources of the changed files, by path. */
  readonly files: Readonly<Record<string, string>>
  readonly canaries: readonly Canary[]
}

/** The most copies of named tests in one file. */
const MOST_COPIES = 3

/** The name is valid in every language. It begins as test runners expect. */
const newName = (): string => `test_${randomBytes(6).toString('hex')}`

/** Returns the changed test files of a case. There are none if the dialect belongs to no language. */
export function plantCanaries(
  { canaries: form, separator }: Pick<Dialect, 'canaries' | 'separator'>,
  hidden: Readonly<Record<string, string>>,
  named: readonly string[],
  expressions: readonly string[],
): Planted {
  if (form === null) return { files: {}, canaries: [] }
  const plainNames = named.filter((one) => !one.includes('*'))
  const leaves = new Map(plainNames.map((one) => [leafOf(one, separator), one]))
  const tests = Object.entries(hidden).filter(
    ([path, source]) => form.paths.test(path) && form.tests.test(source),
  )
  const holding = tests.filter(([, source]) =>
    [...leaves.keys()].some((leaf) => source.includes(leaf)),
  )
  const files: Record<string, string> = {}
  const canaries: Canary[] = []
  const chosen = plainNames.length === 0 ? tests : holding
  for (const [index, [path, original]] of chosen.entries()) {
    let source = original
    let copies = 0
    for (const [leaf, of] of leaves) {
      if (copies === MOST_COPIES) break
      const name = newName()
      const changed = form.changed(source, leaf, name)
      if (changed === null) continue
      source = changed
      copies++
      canaries.push({ name, must: 'failed', of, ofWork: true })
    }
    const added: (PlainTest & { readonly canary: Canary })[] = (
      [
        ['passes', 'passed', false],
        ['fails', 'failed', false],
        ...(index === 0 ? expressions : []).map(
          (expression) => [{ expression }, 'failed', true] as const,
        ),
      ] as const
    ).map(([what, must, ofWork]) => {
      const name = newName()
      return { name, what, canary: { name, must, ofWork } }
    })
    const mixed = shuffled(added)
    files[path] = source + form.plain(source, mixed)
    canaries.push(...mixed.map(({ canary }) => canary))
  }
  return { files, canaries }
}

/** The order need not be repeatable: no verdict depends on it, and the work must not be able to compute it. */
function shuffled<T>(list: readonly T[]): T[] {
  const mixed = [...list]
  for (let at = mixed.length - 1; at > 0; at--) {
    const other = randomInt(at + 1)
    ;[mixed[at], mixed[other]] = [mixed[other] as T, mixed[at] as T]
  }
  return mixed
}
