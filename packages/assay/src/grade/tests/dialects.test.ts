import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { plantCanaries, type Canary } from './canaries.ts'
import { otherLiteral } from './change-literal.ts'
import { openChannel, parseReport } from './channel.ts'
import { leafOf, type Reported } from './dialect.ts'
import { DIALECTS, dialectNamed } from './dialects.ts'
import { testsVerdict } from './verdict.ts'

const folder = mkdtempSync(join(tmpdir(), 'dialects-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const read = (name: string, text: string): readonly Reported[] =>
  dialectNamed(name).read?.parse(text) ?? []

const results = (dialect: string, text: string, named: readonly string[]): string[] =>
  testsVerdict(named, read(dialect, text), [], {
    ...dialectNamed(dialect),
    foreign: 0,
  }).results.map(({ result }) => result)

const EACH = ['passes', 'fails', 'is skipped', 'comes twice', 'never comes']
const EXPECTED = ['passed', 'failed', 'skipped', 'duplicated', 'missing']

describe('reports that are printed or written', () => {
  it('are read in the form of cargo test', () => {
    const text = `
running 5 tests
test tests::passes ... ok
test tests::fails ... FAILED
test is skipped ... ignored, later
test comes twice ... ok
test never comes ... okay
test tests::panics - should panic ... ok
test comes twice ... ok
`
    expect(results('cargo-test', text, EACH)).toEqual(EXPECTED)
    expect(results('cargo-test', text, ['panics'])).toEqual(['passed'])
  })

  it('are read in the form of TAP', () => {
    const text = `TAP version 14
# Subtest: group
    ok 1 - passes
    not ok 2 - fails
      ---
      message: ok 3 - never comes
      ...
    # Subtest: inner
        ok 1 - deep
        1..1
    ok 3 - inner
    1..3
not ok 1 - group
ok 2 - is skipped # SKIP later
ok 3 - comes twice
ok 4 - comes twice
1..4
`
    expect(results('tap', text, EACH)).toEqual(EXPECTED)
    expect(read('tap', text)).toContainEqual({ id: 'group > inner > deep', status: 'passed' })
  })

  it('are read in the form of JUnit', () => {
    const text = `<?xml version="1.0"?><testsuites><testsuite name="s">
<testcase classname="a.B" name="passes" time="0.1"/>
<testcase classname="a.B" name="fails"><failure message="x &gt; y"><![CDATA[<testcase name="never comes"/>]]></failure></testcase>
<testcase name="is skipped"><skipped/></testcase>
<testcase name="comes twice"></testcase><!-- <testcase name="never comes"/> -->
<testcase name="comes twice"><system-out>&lt;testcase name="never comes"/&gt;</system-out></testcase>
<testcase name="&lt;odd&#62; &amp; &quot;quoted&quot;"/>
</testsuite></testsuites>`
    expect(results('junit', text, EACH)).toEqual(EXPECTED)
    expect(results('junit', text, ['<odd> & "quoted"', 'a.B > passes'])).toEqual([
      'passed',
      'passed',
    ])
  })

  it('are read whatever they are', () => {
    for (const { name, read: reading } of DIALECTS)
      for (const text of [
        '',
        '\0',
        '<testcase',
        'ok',
        'not ok',
        `${' '.repeat(1e4)}ok`,
        '<'.repeat(1e4),
      ])
        expect(() => reading?.parse(text), name).not.toThrow()
  })
})

describe('reporters', () => {
  const opened = async (dialect: string) => {
    const { reporter } = dialectNamed(dialect)
    if (reporter === null) throw new Error(dialect)
    const channel = await openChannel(folder, folder, reporter)
    const [file = ''] = Object.keys(channel.reporter.files)
    const load = (await import(join(channel.at.folder, file))) as { default: unknown }
    return { channel, made: load.default }
  }

  it('of vitest tells each test with the names around it, in old and new versions', async () => {
    const { channel, made } = await opened('vitest')
    const reporter = new (made as new () => Record<string, (...args: unknown[]) => void>)()
    const test = (fullName: string, state: string): object => ({
      fullName,
      result: () => ({ state }),
    })
    reporter['onTestCaseResult']?.(test('group > passes', 'passed'))
    reporter['onTestCaseResult']?.(test('fails', 'failed'))
    reporter['onTestCaseResult']?.(test('later', 'skipped'))
    reporter['onFinished']?.([
      { tasks: [{ name: 'again', mode: 'run', result: { state: 'pass' } }] },
    ])
    expect(channel.read()).toEqual({
      foreign: 0,
      isOpened: true,
      reported: [
        { id: 'group > passes', status: 'passed' },
        { id: 'fails', status: 'failed' },
        { id: 'later', status: 'skipped' },
      ],
    })
    channel.close()
    const old = await opened('vitest')
    const second = new (old.made as new () => Record<string, (...args: unknown[]) => void>)()
    const run = { mode: 'run', result: { state: 'pass' } }
    second['onFinished']?.([
      {
        tasks: [
          {
            name: 'g',
            tasks: [
              { name: 'x', ...run },
              { name: 'y', mode: 'skip' },
            ],
          },
        ],
      },
    ])
    expect(old.channel.read().reported).toEqual([
      { id: 'g > x', status: 'passed' },
      { id: 'g > y', status: 'skipped' },
    ])
    old.channel.close()
  })

  it('of jest tells each test with the names around it', async () => {
    const { channel, made } = await opened('jest')
    const reporter = new (made as new () => Record<string, (...args: unknown[]) => void>)()
    const one = (title: string, status: string): object => ({
      ancestorTitles: ['g'],
      title,
      status,
    })
    reporter['onTestResult']?.(
      {},
      { testResults: [one('a', 'passed'), one('b', 'failed'), one('c', 'pending')] },
    )
    expect(channel.read().reported).toEqual([
      { id: 'g > a', status: 'passed' },
      { id: 'g > b', status: 'failed' },
      { id: 'g > c', status: 'skipped' },
    ])
    channel.close()
  })

  it('write lines that nobody without the key can write', () => {
    const line = (id: string): string => `k ${JSON.stringify({ id, status: 'passed' })}`
    expect(parseReport(`k\n${line('a')}\n${line('b')}`, 'k')).toEqual({
      reported: [{ id: 'a', status: 'passed' }],
      foreign: 0,
    })
    const forged = `k\n{"id":"b","status":"passed"}\nx ${line('c')}\nk {"id":1}\n`
    expect(parseReport(forged, 'k')).toEqual({ reported: [], foreign: 3 })
    expect(parseReport('', 'k')).toEqual({ reported: [], foreign: 1 })
  })
})

describe('canaries', () => {
  const planted = (dialect: string, path: string, source: string, named: readonly string[]) => {
    const { files, canaries } = plantCanaries(dialectNamed(dialect), { [path]: source }, named, [])
    return {
      text: files[path] ?? '',
      canaries,
      copies: canaries.filter(({ of }) => of !== undefined),
    }
  }

  it('change an expected value to another one of its type', () => {
    expect(['4', '0', '-1', '1.5', '"a"', "''", 'true', 'False'].map(otherLiteral)).toEqual([
      ...['3', '1', '0', '0.5', '"a~"', "'~'", 'false', 'True'],
    ])
  })

  it('copy tests whose assertion is certain to run, and no others', () => {
    const source = `import { test, expect } from 'vitest'
test('plain', () => {
  expect(f(1)).toBe(1)
})
test('in a branch', () => {
  if (x) {
    expect(f(1)).toBe(1)
  }
})
test('after a return', () => {
  if (x) return
  expect(f(1)).toBe(1)
})
test('with no value', () => {
  expect(f(1)).toBe(g(1))
})
`
    const named = ['plain', 'in a branch', 'after a return', 'with no value']
    const { text, copies, canaries } = planted('vitest', 'a.test.ts', source, named)
    expect(copies.map(({ of }) => of)).toEqual(['plain'])
    expect(canaries).toHaveLength(3)
    expect(text).toContain('expect(f(1)).toBe(0)')
    expect(text.startsWith(source.slice(0, 60))).toBe(true)
    const rust = '#[test]\nfn adds() {\n    assert_eq!(add(2, 2), 4);\n}\n'
    expect(planted('cargo-test', 'tests/a.rs', rust, ['adds']).text).toContain(
      'assert_eq!(add(2, 2), 3);',
    )
    const decorated = "@pytest.mark.parametrize('n', [1])\ndef test_n(n):\n    assert f(n) == 1\n"
    expect(planted('pytest', 'test_a.py', decorated, ['test_n[1]']).copies).toEqual([])
  })

  it('have names made for the trial, in the files that hold named tests', () => {
    const hidden = {
      'a.test.js': "test('a', () => {})",
      'b.test.js': "test('b', () => {})",
      'c.md': 'a',
    }
    const [one, two] = [1, 2].map(() => plantCanaries(dialectNamed('jest'), hidden, ['a'], ['x()']))
    expect(Object.keys(one?.files ?? {})).toEqual(['a.test.js'])
    expect(one?.canaries).toHaveLength(3)
    expect(one?.files).not.toEqual(two?.files)
    expect(plantCanaries(dialectNamed('tap'), hidden, ['a'], [])).toEqual({
      files: {},
      canaries: [],
    })
  })

  it('accuse only what they show', () => {
    const copy: Canary = { name: 'copy', must: 'failed', of: 'a', ofWork: true }
    const fails: Canary = { name: 'fails', must: 'failed', ofWork: false }
    const passes: Canary = { name: 'passes', must: 'passed', ofWork: false }
    const tampered = (all: Readonly<Record<string, Reported['status']>>): string | null =>
      testsVerdict(
        ['a', 'b'],
        Object.entries(all).map(([id, status]) => ({ id, status })),
        [copy, fails, passes],
        { separator: '::', foreign: 0 },
      ).tampered
    const fine = {
      a: 'passed',
      b: 'passed',
      copy: 'failed',
      fails: 'failed',
      passes: 'passed',
    } as const
    expect(tampered(fine)).toBeNull()
    expect(tampered({ ...fine, fails: 'passed' })).toContain('must fail was reported as passed')
    expect(tampered({ ...fine, copy: 'passed' })).toContain(
      '"a" passes with a wrong expected value',
    )
    // Work that is wrong may pass a test with a wrong expected value.
    expect(tampered({ ...fine, a: 'failed', copy: 'passed' })).toBeNull()
    expect(tampered({ ...fine, copy: 'skipped' })).toContain('was reported as skipped')
    const { passes: _, ...without } = fine
    expect(tampered(without)).toContain('were not reported')
    // Work that crashes takes later tests with it.
    expect(tampered({ a: 'passed' })).toBeNull()
  })

  it('leave the name without those around it', () => {
    expect(leafOf('a > b > c', ' > ')).toBe('c')
    expect(leafOf('tests/a.py::T::test_x[1-2]', '::')).toBe('test_x')
  })
})
