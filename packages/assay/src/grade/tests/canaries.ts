/**
 * Canaries: tests with a known result that are added to the hidden test files. Their names are random and new in
 * each trial. If a canary is missing or has the wrong result, the other results cannot be believed either. There are
 * three kinds:
 * - A test that must always pass, and a test that must always fail.
 * - Copies of named tests with another expected value. A copy must fail if its original passes.
 * - Expressions of the suite that are false.
 * Canaries detect tampering with all results at once: a process that ends itself, changed assertions, objects that
 * are equal to everything, replaced runners and reporters. They do not detect work that reads the tests in its own
 * process and forges exactly the results that it needs.
 */
import { randomBytes, randomInt } from 'node:crypto'
import { leafOf, type Dialect, type PlainTest } from './dialect.ts'

export interface Canary {
  readonly name: string
  readonly must: 'passed' | 'failed'
  /** The named test of which this canary is a copy. */
  readonly of?: string
  /** Whether the result depends on the work: the canary is certain to fail only if the work is right. */
  readonly ofWork: boolean
}

export interface Planted {
  /** The sources of the changed files, by path. */
  readonly files: Readonly<Record<string, string>>
  readonly canaries: readonly Canary[]
}

/** The highest number of copies of named tests in one file. */
const MOST_COPIES = 3

/**
 * Returns a random name that is valid in every language. It begins with `test_`, because test runners search for
 * that.
 */
const newName = (): string => `test_${randomBytes(6).toString('hex')}`

/**
 * Returns the test files with canaries. There are none if the dialect (the kind of test runner) belongs to no
 * language.
 */
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

/**
 * Shuffles the list with cryptographic random numbers, so that the work cannot compute the order. The order differs
 * in each trial, which is fine, because no verdict depends on it.
 */
function shuffled<T>(list: readonly T[]): T[] {
  const mixed = [...list]
  for (let at = mixed.length - 1; at > 0; at--) {
    const other = randomInt(at + 1)
    ;[mixed[at], mixed[other]] = [mixed[other] as T, mixed[at] as T]
  }
  return mixed
}
