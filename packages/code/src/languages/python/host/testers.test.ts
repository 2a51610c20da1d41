/** Testers that are kept between solutions: nothing that one solution leaves behind affects the next one. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isPythonReady, openBench, outcomes, type Bench } from '../../../../test/try-python.ts'

const isReady = await isPythonReady()

describe.skipIf(!isReady)('testers in turn', () => {
  let bench: Bench
  beforeAll(async () => {
    bench = await openBench()
  })
  afterAll(() => bench.close())

  /**
   * Makes tests that report how many solutions their tester has tested. The tests store the number in the
   * tester's process, in the module `math`.
   */
  const tests = (name: string, more = ''): string => `
import math
from solution import f
math.${name} = getattr(math, '${name}', 0) + 1
seen = []

def test_value():
    seen.append(f(1))
    assert seen == [2]

def test_count():
    assert (math.${name}, [one for one in ('one', 'two') if hasattr(math, one)]) == 0
${more}`

  const GOOD = 'def f(n):\n    return n + 1\n'
  const counted = async (name: string, code = GOOD, more = ''): Promise<string[]> =>
    Object.values(outcomes(await bench.run(code, tests(name, more))))

  const said = (name: string, times: number): string =>
    `FAILED: line 12: (${times}, ['${name}']) == 0`

  it('take the next sample for the same tests, and know nothing of other tests', async () => {
    for (const times of [1, 2, 3])
      for (const name of ['one', 'two'])
        expect(await counted(name)).toEqual(['passed', said(name, times)])
  })

  it('go on after a sample that ended, hung, or flooded its connection', async () => {
    const before = Number(/\((\d+),/.exec((await counted('one')).join())?.[1])
    const ends = await counted('one', 'import os\n\ndef f(n):\n    os._exit(0)\n')
    expect(ends).toEqual([
      expect.stringContaining('ended its own process'),
      expect.stringContaining('ended its own process'),
    ])
    const hangs = await bench.run('def f(n):\n    while True:\n        pass\n', tests('one'), {
      limits: { cpuMs: 1000, memoryBytes: 512 * 2 ** 20 },
    })
    expect(hangs.fault?.kind).toBe('timeout')
    // The same tester is used, and the earlier solutions left nothing in it.
    expect(await counted('one')).toEqual(['passed', said('one', before + 3)])
    // The next solution never reads data that a solution left in the pipes.
    for (let run = 0; run < 5; run++) {
      const floods = await counted(
        'one',
        'import os\n\ndef f(n):\n    for fd in range(5, 20):\n        try:\n            os.write(fd, b"x" * 4096)\n        except OSError:\n            pass\n    return 2\n',
      )
      expect(floods).not.toContain('passed')
      for (const name of ['one', 'two'])
        expect(await counted(name)).toEqual(['passed', expect.stringContaining(`['${name}']`)])
    }
  })

  it('name the tests of each sample, also where they are the sample’s own', async () => {
    const own =
      'import pytest\nfrom solution import CASES\n\n@pytest.mark.parametrize("n", CASES)\ndef test_it(n):\n    assert n\n'
    for (const cases of [[1, 2], [1, 2], [1, 2, 3], [2]])
      expect(
        Object.keys(outcomes(await bench.run(`CASES = ${JSON.stringify(cases)}\n`, own))),
      ).toEqual(cases.map((n) => `test_it[${n}]`))
  })

  it('take what the tests want as it is when they want it', async () => {
    const wants =
      'import solution\nfrom solution import f, change\n\ndef test_it():\n    assert f() == 1\n    change()\n    assert solution.f() == 2\n    assert f() == 1\n'
    const changes = 'def f():\n    return 1\n\ndef change():\n    global f\n    f = lambda: 2\n'
    for (let run = 0; run < 3; run++)
      expect(outcomes(await bench.run(changes, wants))).toEqual({ test_it: 'passed' })
    // The next solution may lack this name, or define something else with it.
    expect(outcomes(await bench.run('def f():\n    return 1\n', wants))).toEqual({
      test_it: expect.stringContaining("cannot import name 'change'"),
    })
    expect(outcomes(await bench.run(`${changes}f = 1\n`, wants))).toEqual({
      test_it: expect.stringContaining('not callable'),
    })
    expect(outcomes(await bench.run(changes, wants))).toEqual({ test_it: 'passed' })
  })

  it('do not rest while a thread of theirs is at work', async () => {
    const thread =
      '\nimport threading, time\nthreading.Thread(target=time.sleep, args=(60,), daemon=True).start()\n'
    for (let run = 0; run < 2; run++)
      expect((await counted('one', GOOD, thread)).at(-1)).toContain(said('one', 1).slice(8))
  })
})
