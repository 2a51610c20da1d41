import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { python } from './python.ts'
import { isPythonReady, openBench, outcomes, type Bench } from '../../../test/try-python.ts'

const isReady = await isPythonReady()

const asked = (name: string, version: string | null = null) => ({ name, version, features: [] })

describe('the language Python', () => {
  it('says what it needs and what is there', async () => {
    const tools = await python.inspect()
    expect(tools.map(({ name }) => name)).toEqual(['python3', 'ruff'])
    for (const { version, how } of tools) expect(version === null).toBe(how !== undefined)
  })

  it('says how to get packages that are not vendored', async () => {
    expect(await python.missing([], null)).toEqual([])
    expect(await python.missing([asked('attrs', '23.1.0')], null)).toEqual([
      'the Python package attrs is not vendored: run `pip install --target vendor/python attrs==23.1.0` next to the suite',
    ])
  })
})

describe.skipIf(!isReady)('vendored packages', () => {
  let bench: Bench
  let vendor: string
  beforeAll(async () => {
    bench = await openBench()
    vendor = await mkdtemp(join(tmpdir(), 'assay-vendor-'))
    const packages = join(vendor, 'python')
    await mkdir(join(packages, 'Tiny_Kit-1.2.dist-info'), { recursive: true })
    await mkdir(join(packages, 'tinykit'))
    await writeFile(join(packages, 'tinykit', '__init__.py'), 'def triple(n):\n    return 3 * n\n')
  })
  afterAll(async () => {
    await bench.close()
    await rm(vendor, { recursive: true })
  })

  it('are found by name and version', async () => {
    expect(await python.missing([asked('tiny-kit'), asked('tiny.kit', '1.2')], vendor)).toEqual([])
    expect(await python.missing([asked('tiny-kit', '2.0')], vendor)).toEqual([
      expect.stringContaining('is vendored as 1.2, not 2.0'),
    ])
  })

  it('can be imported by the sample and by its tests, and only where they are asked for', async () => {
    const code = 'import tinykit\n\ndef f(n):\n    return tinykit.triple(n)\n'
    const tests =
      'import tinykit\nfrom solution import f\n\ndef test_f():\n    assert f(2) == tinykit.triple(2)\n'
    expect(outcomes(await bench.run(code, tests, { vendor }))).toEqual({ test_f: 'passed' })
    expect(outcomes(await bench.run(code, tests))).toEqual({
      test_f: expect.stringContaining("No module named 'tinykit'"),
    })
  })

  it('gives the same order to sets of texts every time', async () => {
    const code = 'def f():\n    return ",".join({"a", "b", "c", "d", "e", "f"})\n'
    const tests = 'from solution import f\n\ndef test_f():\n    assert f() == ""\n'
    const first = await bench.run(code, tests)
    const second = await openBench()
    expect((await second.run(code, tests)).tests).toEqual(first.tests)
    await second.close()
  })
})
