import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openSandbox, type Sandbox } from '@assay/sandbox'
import { Linters, ruffVersion } from './lint.ts'
import { isPythonReady } from '../../../../test/try-python.ts'

const isReady = (await isPythonReady()) && ruffVersion() !== null

describe.skipIf(!isReady)('ruff in the sandbox', () => {
  let sandbox: Sandbox
  let linters: Linters
  beforeAll(async () => {
    sandbox = await openSandbox('auto')
    linters = new Linters(sandbox)
  })
  afterAll(async () => {
    await linters.close()
    await sandbox.close()
  })

  const lint = async (source: string): Promise<string[]> =>
    (await linters.lint({ 'solution.py': source }, 'py311')).map(
      ({ line, column, code }) => `${line}:${column} ${code}`,
    )

  it('reports its rules E and F, with its own length of lines', async () => {
    expect(
      await lint(
        'import os\n\n\ndef f(l):\n    if l == None:\n        return undefined_name\n    f = lambda: 0\n',
      ),
    ).toEqual(['1:8 F401', '4:7 E741', '5:13 E711', '6:16 F821', '7:5 E731', '7:5 F841'])
    expect(await lint(`x = "${'a'.repeat(83)}"\n`)).toEqual(['1:89 E501'])
    expect(await lint('"""Fine."""\n\n\ndef f(x: int) -> int:\n    return x + 1\n')).toEqual([])
  })

  it('does not let comments silence it, and counts each of them', async () => {
    expect(await lint('import os  # noqa\n')).toEqual(['1:8 F401', '1:12 silenced'])
    expect(await lint('# ruff: noqa\nimport os\n')).toEqual(['1:1 silenced', '2:8 F401'])
    expect(await lint('# flake8: noqa\nimport os  # NOQA: F401\n')).toEqual([
      '1:1 silenced',
      '2:8 F401',
      '2:12 silenced',
    ])
    expect(await lint('x: int = "é"  # type: ignore[assignment]\n')).toEqual(['1:15 silenced'])
    expect(await lint('x = 1  # pylint: disable=all\n')).toEqual(['1:8 silenced'])
  })

  it('touches no text that only looks like such a comment', async () => {
    expect(await lint('x = "# noqa"\ny = """\n# type: ignore\n"""\n# a plain remark\n')).toEqual([])
    expect(await lint('url = "http://x/#noqa"; import os\n')).toContain('1:32 F401')
  })

  it('understands newer syntax', async () => {
    expect(
      await lint(
        'def f(x):\n    match x:\n        case [a, *_]:\n            return a\n    try:\n        pass\n    except* ValueError:\n        pass\n',
      ),
    ).toEqual([])
  })

  it('goes on after a file that it does not survive', async () => {
    const hard = `x = ${'('.repeat(60_000)}1${')'.repeat(60_000)}\n`
    const found = await linters.lint({ 'hard.py': hard }, 'py311')
    expect(found.every(({ code }) => code === null || /^[EF]\d/.test(code))).toBe(true)
    expect(await lint('import os\n')).toEqual(['1:8 F401'])
  })
})
