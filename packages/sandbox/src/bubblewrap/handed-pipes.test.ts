/** Passing one program's end of a pipe to another program. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasBubblewrap, inNode, MIB, programOf } from '../../test/sandboxed.ts'
import { openBubblewrap } from './bubblewrap.ts'
import { collect } from '../collect.ts'
import { openNone } from '../none.ts'
import { workingWay } from '../open-sandbox.ts'
import type { Program, Sandbox } from '../sandbox.ts'

const program = (source: string, over: Partial<Program>): Program => ({
  ...programOf(inNode(source, { limits: { memoryBytes: 2048 * MIB } })),
  ...over,
})

/** Reads from the passed pipe with blocking reads, so the pipe must be in blocking mode. */
const ECHO = `const b = Buffer.alloc(99)
for (let n = fs.readSync(4, b); n > 0; n = fs.readSync(4, b)) fs.writeSync(4, 'you said ' + b.toString('utf8', 0, n))
console.log('it hung up')`
const ASK = `const b = Buffer.alloc(99)
fs.writeSync(3, 'hello'); console.error(b.toString('utf8', 0, fs.readSync(3, b)))`

describe.each([
  ['in bubblewrap', !hasBubblewrap, async () => openBubblewrap(await workingWay({}))],
  ['without a sandbox', process.platform === 'win32', async () => openNone()],
])('two programs %s', (_, isSkipped, open) => {
  let sandbox: Sandbox
  beforeAll(async () => {
    if (!isSkipped) sandbox = await open()
  })
  afterAll(async () => {
    if (!isSkipped) await sandbox.close()
  })

  it.skipIf(isSkipped)(
    'talk over the pipe that one of them was handed, until it ends',
    async () => {
      const first = sandbox.start(program(ECHO, { pipes: 2 }))
      const handed = first.pipes.slice(1)
      const second = sandbox.start(program(ASK, { pipes: 0, handed, isQuiet: true }))
      const [echo, asked] = await Promise.all([collect(first), collect(second)])
      expect(String(asked.stderr).trim()).toBe('you said hello')
      expect(String(echo.stdout).trim()).toBe('it hung up')
    },
  )

  it.skipIf(isSkipped)('that are quiet print nowhere and are told nothing', async () => {
    const source = `console.error(fs.readFileSync(0).length); console.log('out')`
    const quiet = await collect(sandbox.start(program(source, { isQuiet: true })))
    expect([String(quiet.stdout), String(quiet.stderr).trim()]).toEqual(['', '0'])
  })
})
