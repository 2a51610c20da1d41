/**
 * Decides which files of a case belong to its tests: `conftest.py`, test files, and modules that use a test
 * framework. They are loaded with the tests, and the solution never sees them.
 */

const NAME = /(?:^|\/)(?:conftest|test_[^/]*|[^/]*_test)\.py$/
const FRAMEWORK = /^[ \t]*(?:import|from)[ \t]+(?:pytest|unittest)\b/m

type Files = Readonly<Record<string, string>>

export function testFiles(support: Files): { readonly helpers: Files; readonly shared: Files } {
  const helpers: Record<string, string> = {}
  const shared: Record<string, string> = {}
  for (const [path, text] of Object.entries(support)) {
    const isTests = path.endsWith('.py') && (NAME.test(path) || FRAMEWORK.test(text))
    ;(isTests ? helpers : shared)[path] = text
  }
  return { helpers, shared }
}
