/**
 * Asks the compiler which tests a source has. Macros can create tests and conditions can remove them, so the source
 * alone does not show all tests. The compiler expands the macros in the sandbox, without any solution. So a solution
 * cannot influence the list.
 */
import { SandboxError, type Sandbox } from '@assay/sandbox'
import { BEGINNING, common, gather, quoted, shell } from '../build.ts'
import type { MadeTest } from './inventory.ts'
import type { Crates } from '../crates.ts'
import { read, textOf } from '../source/lex.ts'
import type { Toolchain } from '../toolchain.ts'

const MOST_BYTES = 16 * 1024 * 1024

export async function madeTests(
  sandbox: Sandbox,
  toolchain: Toolchain,
  tests: { readonly source: string; readonly edition: string; readonly crates: Crates | null },
): Promise<MadeTest[]> {
  const words = [
    ...common(toolchain, tests.edition),
    ...['--test', '--crate-name', 'tests', '--cap-lints', 'allow', '-Zunpretty=expanded'],
    ...(tests.crates?.flags ?? []),
  ]
  const script = [
    ...BEGINNING,
    // `-Zunpretty` needs a nightly compiler, and RUSTC_BOOTSTRAP makes a stable one accept it. RUSTC_BOOTSTRAP would
    // also allow nightly features in the source, so `#![feature(…)]` is refused (`unsupported.ts`).
    'export RUSTC_BOOTSTRAP=1',
    `${quoted(toolchain.rustc)} ${words.map(quoted).join(' ')} - <&3 2>/dev/null >&5`,
    // The compiler fails here, because names of the solution are missing. It has already written the expanded text by
    // then, so the failure is ignored.
    'exit 0',
  ].join('\n')
  const reads = [...toolchain.reads, ...(tests.crates?.reads ?? [])]
  const boxed = sandbox.start(shell(toolchain, script, reads))
  const [first, , third] = boxed.pipes
  if (first === undefined || third === undefined)
    throw new SandboxError('the sandbox gave no pipes')
  const text = gather(third, MOST_BYTES)
  boxed.stdout.resume()
  boxed.stderr.resume()
  first.end(tests.source)
  await boxed.ended
  return testsIn((await text).toString('utf8'))
}

/**
 * Reads the tests from expanded source. For its own test harness, the compiler adds a description of each test there.
 */
export function testsIn(expanded: string): MadeTest[] {
  const lexed = read(expanded)
  const found: MadeTest[] = []
  for (let at = 0; at < lexed.tokens.length; at++) {
    if (textOf(lexed, at) !== 'StaticTestName' || textOf(lexed, at + 1) !== '(') continue
    const [, name] = /^"([\p{L}\p{N}_:#]+)"$/u.exec(textOf(lexed, at + 2)) ?? []
    if (name === undefined) continue
    const fields = fieldsAfter(lexed, at)
    found.push({
      name: name.replaceAll('r#', ''),
      ignored: fields.ignored,
      panics: fields.panics,
    })
  }
  return found
}

/** The most tokens of one test description that are read. */
const MOST_TOKENS = 100

function fieldsAfter(
  lexed: ReturnType<typeof read>,
  from: number,
): Pick<MadeTest, 'ignored' | 'panics'> {
  let ignored = false
  for (let at = from; at < from + MOST_TOKENS; at++) {
    if (textOf(lexed, at) === 'ignore' && textOf(lexed, at + 1) === ':')
      ignored = textOf(lexed, at + 2) === 'true'
    if (textOf(lexed, at) !== 'ShouldPanic') continue
    const how = textOf(lexed, at + 2)
    const literal = textOf(lexed, at + 4)
    const panics = how === 'YesWithMessage' ? literal : how === 'Yes' ? '""' : null
    return { ignored, panics }
  }
  return { ignored, panics: null }
}
