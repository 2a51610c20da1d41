/**
 * Makes a stand-in: a generated solution that defines all required names. Its functions return objects that support
 * every operation. Assay runs tests with it to find out whether they check anything.
 */

const KEYWORDS = new Set(
  'False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield'.split(
    ' ',
  ),
)

const ANYTHING = `
_left = [10000]


class _Anything:
    def __init__(self, *args, **named):
        _left[0] -= 1
        if _left[0] < 0:
            raise RuntimeError('called too often')

    def __call__(self, *args, **named):
        return _Anything()

    def __getattr__(self, name):
        if name.startswith('__'):
            raise AttributeError(name)
        return _Anything()

    def __getitem__(self, key):
        return _Anything()

    def __iter__(self):
        return iter(())

    def __len__(self):
        return 0
`

export function standIn(names: readonly string[]): string {
  const functions = names
    .filter((name) => !KEYWORDS.has(name) && name !== '_left' && name !== '_Anything')
    .map((name) => `def ${name}(*args, **named):\n    return _Anything()\n`)
  return `${ANYTHING}\n\n${functions.join('\n\n')}`
}
