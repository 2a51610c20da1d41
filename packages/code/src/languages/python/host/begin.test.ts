/**
 * The process of a solution with nothing to run: it must not end by itself. Its report and its end come over two
 * connections, so on a busy machine the host could hear of the end first and call it a crash.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { openSandbox, type Sandbox } from '@assay/sandbox'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isPythonReady } from '../../../../test/try-python.ts'
import { decodeFrame, encodeFrame } from '../../../frames.ts'
import { findInterpreter } from './interpreter.ts'
import { PythonServers } from './servers.ts'

const isReady = await isPythonReady()

describe.skipIf(!isReady)('the process of a solution', () => {
  let sandbox: Sandbox
  let servers: PythonServers
  beforeAll(async () => {
    sandbox = await openSandbox('auto')
    const interpreter = await findInterpreter()
    if (interpreter === null) throw new Error('there is no python3')
    servers = new PythonServers(sandbox, interpreter)
  })
  afterAll(async () => {
    await servers.close()
    await sandbox.close()
  })

  it.each([
    ['that does not compile', 'def f(:\n', true],
    ['without tests', 'def f(): pass\n', false],
  ])('%s stays until the host has read its report', async (_, code, run) => {
    const pool = servers.single({ role: 'solution', packages: null, scratch: false, warm: [] })
    const task = { files: { 'solution.py': code }, main: 'solution.py', support: {}, module: null }
    const { one, begun: fork } = await pool.take((server) =>
      server.fork(
        { cpuMs: 2000, memoryBytes: 512 * 2 ** 20, filter: true },
        encodeFrame({ ...task, run, define: false, path: null, nonce: '', imports: [] }),
        null,
      ),
    )
    const frame = await new Promise<Buffer>((resolve) => {
      fork.listen(resolve)
    })
    expect(decodeFrame(frame)).toMatchObject({ compiled: !run })
    expect(await Promise.race([fork.gone, wait(300, 'is there')])).toBe('is there')
    await fork.end()
    pool.free(one)
  })
})
