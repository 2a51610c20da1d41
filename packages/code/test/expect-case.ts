/**
 * An assertion for two implementations of `expect`, and functions that make many of them from values and matchers.
 */

export type Method = (...args: unknown[]) => unknown

/** What `expect(value)` returns, without types, because the cases also call matchers wrongly. */
type Chain = Readonly<Record<string, Method>> &
  Readonly<Record<'not' | 'resolves' | 'rejects', Readonly<Record<string, Method>>>>

export type Expect = ((actual: unknown) => Chain) &
  Readonly<Record<string, Method>> & { readonly not: Readonly<Record<string, Method>> }

export interface TestLibrary {
  readonly expect: Expect
  readonly fn: (implementation?: Method) => Method
}

export interface ExpectCase {
  readonly name: string
  readonly run: (library: TestLibrary) => unknown
}

export type Values = Readonly<Record<string, (library: TestLibrary) => unknown>>

/** Returns an assertion and its negation. */
export function* assertions(
  actual: readonly [string, (library: TestLibrary) => unknown],
  matcher: string,
  args: readonly (readonly [string, (library: TestLibrary) => unknown])[],
): Generator<ExpectCase> {
  const [name, make] = actual
  const given = args.map(([text]) => text).join(', ')
  const call = (chain: Readonly<Record<string, Method>>, library: TestLibrary): unknown =>
    called(
      chain,
      matcher,
      args.map(([, value]) => value(library)),
    )
  yield {
    name: `expect(${name}).${matcher}(${given})`,
    run: (library) => call(library.expect(make(library)), library),
  }
  yield {
    name: `expect(${name}).not.${matcher}(${given})`,
    run: (library) => call(library.expect(make(library)).not, library),
  }
}

export function called(
  chain: Readonly<Record<string, Method>>,
  matcher: string,
  args: readonly unknown[],
): unknown {
  if (typeof chain[matcher] !== 'function') throw new MissingMatcher(matcher)
  return chain[matcher](...args)
}

/** The library does not have this matcher. */
export class MissingMatcher extends Error {
  override readonly name = 'MissingMatcher'
}

export function* crossed(
  actual: Values,
  matchers: readonly string[],
  expected: Values,
): Generator<ExpectCase> {
  for (const one of Object.entries(actual))
    for (const matcher of matchers)
      for (const two of Object.entries(expected)) yield* assertions(one, matcher, [two])
}

export function* unary(values: Values, matchers: readonly string[]): Generator<ExpectCase> {
  for (const one of Object.entries(values))
    for (const matcher of matchers) yield* assertions(one, matcher, [])
}
