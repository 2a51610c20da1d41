import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'

/** Prints whether V8 compiles a function that runs often, before and after forty solutions. */
const PROGRAM = `
import { compileLater } from ${JSON.stringify(new URL('tiers.ts', import.meta.url).href)}
const served = compileLater()
const isCompiled = async (turns) => {
  const add = new Function('a', 'b', 'return a + b')
  for (let turn = 0; turn < turns; turn++) {
    for (let n = 0; n < 500; n++) add(n, 1)
    if ((%GetOptimizationStatus(add) & 32) !== 0) return true
    await new Promise((done) => setTimeout(done, 1))
  }
  return false
}
const before = await isCompiled(10)
for (let n = 0; n < 40; n++) served()
console.log(JSON.stringify([before, await isCompiled(10_000)]))
`

it.skipIf(!process.versions.v8.startsWith('13.6.'))(
  'lets V8 compile functions only after forty solutions',
  () => {
    const flags = ['--no-warnings', '--allow-natives-syntax', '--input-type=module', '-e', PROGRAM]
    const printed = execFileSync(process.execPath, flags, { encoding: 'utf8', timeout: 60_000 })
    expect(JSON.parse(printed)).toEqual([false, true])
  },
)
