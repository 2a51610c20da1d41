/**
 * Work is graded as it was done: what runs in the agent's sandbox runs in the grader's too. Verdicts do not depend on
 * how busy the machine is.
 */
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inspectSandbox } from '@assay/sandbox'
import { gradedWork, graderOf } from './graded-work.ts'

const isReady = (await inspectSandbox()).ready
const has = (program: string): boolean =>
  spawnSync('sh', ['-c', `PATH=/usr/local/bin:/usr/bin:/bin command -v ${program}`]).status === 0

const TEST = `
const { test } = require('node:test')
test('works', () => { for (let until = Date.now() + 50; Date.now() < until; ) {} })
`
const POOL = `
from concurrent.futures import ProcessPoolExecutor
def square(n): return n * n
if __name__ == '__main__':
    with ProcessPoolExecutor(8) as pool:
        assert sum(pool.map(square, range(1000))) == 332833500
`
const SERVER = `
const { createServer, request } = require('node:http')
for (const at of [{ host: '127.0.0.1', port: 0 }, { path: '/tmp/server.socket' }]) {
  const server = createServer((_, reply) => reply.end('hello')).listen(at, () => {
    const to = at.path === undefined ? { port: server.address().port } : { socketPath: at.path }
    request(to, (reply) => reply.on('data', (text) => {
      if (String(text) !== 'hello') process.exit(1)
      server.close()
    })).end()
  })
}
`
const FILES = `
const fs = require('node:fs')
fs.mkdirSync('many')
for (let n = 0; n < 10000; n++) fs.writeFileSync('many/' + n, 'x')
const open = []
for (let n = 0; n < 10000; n++) open.push(fs.openSync('many/' + n))
`
const JAVA =
  'public class Main { public static void main(String[] a) { System.out.println(2 + 2); } }'
const VITEST = `
import { expect, test } from 'vitest'
test('adds', () => expect(2 + 2).toBe(4))
`

describe.runIf(isReady)('the sandbox that grades work', () => {
  const tests = Object.fromEntries([1, 2, 3, 4, 5, 6, 7, 8].map((n) => [`t/${n}.test.cjs`, TEST]))
  const files = {
    ...tests,
    'pool.py': POOL,
    'server.cjs': SERVER,
    'files.cjs': FILES,
    'Main.java': JAVA,
    'v/a.test.mjs': VITEST,
    'package.json': '{"name":"p","version":"1.0.0","scripts":{"test":"node --test"}}',
  }
  const commands = {
    'eight workers': 'node --test --test-concurrency=8 t/*.cjs',
    'a server on loopback and on a Unix socket': 'node server.cjs',
    'many files': 'node files.cjs',
    npm: 'npm test --silent -- t/*.cjs',
    ...(has('python3') ? { 'a pool of processes': 'python3 pool.py' } : {}),
    ...(has('java') ? { java: 'java Main.java' } : {}),
    vitest: 'node node_modules/vitest/vitest.mjs run --pool=threads v/',
  }

  const installed = mkdtempSync(join(tmpdir(), 'installed-'))
  afterAll(() => rmSync(installed, { recursive: true, force: true }))

  it('runs what the agent could run', async () => {
    const install = ['install', '--no-audit', '--no-fund', '--ignore-scripts', 'vitest@5.1.0']
    const npm = spawnSync('npm', install, { cwd: installed, encoding: 'utf8', timeout: 300_000 })
    expect(npm.status, npm.stderr).toBe(0)
    const trials = await gradedWork({
      files,
      workspace: {
        ignore: ['node_modules/**', 'many/**'],
        folder: { path: installed, sha256: '' },
      },
      graders: Object.entries(commands).map(([name, command]) => ({
        ...graderOf('run', { command }),
        name,
      })),
      // The agent runs the same commands. It fails if one of them fails for it.
      agents: { agent: `set -ex; ${Object.values(commands).join('; rm -rf many; ')}; rm -rf many` },
    })
    const [trial] = trials.get('agent') ?? []
    expect(trial?.reason).toBeUndefined()
    expect(trial?.grades.map(({ name, reason }) => [name, reason])).toEqual(
      Object.keys(commands).map((name) => [name, 'exit code 0, and it printed what it should']),
    )
    expect(trial?.outcome).toBe('passed')
  })
})

describe.runIf(isReady)('a busy machine', () => {
  const load: ReturnType<typeof spawn>[] = []
  beforeAll(() => {
    for (let n = 0; n < 2 * availableParallelism(); n++)
      load.push(spawn('sh', ['-c', 'while :; do :; done'], { stdio: 'ignore' }))
  })
  afterAll(() => {
    for (const one of load) one.kill('SIGKILL')
  })

  it('gives the same verdicts to trials at once as to trials one by one', async () => {
    const busy = (ms: number): string =>
      `node -e 'for (let use; (use = process.cpuUsage()).user + use.system < ${ms} * 1000; ) for (let n = 0; n < 1e6; n++);'`
    const work = {
      graders: [graderOf('run', { command: 'sh work.sh', timeout: '6s' })],
      agents: {
        honest: `cat > work.sh <<'END'\n${busy(4000)}\nEND`,
        endless: `echo 'while :; do :; done' > work.sh`,
      },
      trials: 4,
    }
    const verdicts = async (parallelism: number): Promise<unknown> =>
      Object.fromEntries(
        [...(await gradedWork({ ...work, parallelism }))].map(([name, trials]) => [
          name,
          trials.map(({ outcome, reason }) => [outcome, reason?.code]),
        ]),
      )
    const atOnce = await verdicts(8)
    expect(atOnce).toEqual({
      honest: Array.from({ length: 4 }, () => ['passed', undefined]),
      endless: Array.from({ length: 4 }, () => ['failed', 'code-timeout']),
    })
    expect(await verdicts(1)).toEqual(atOnce)
  })
})
