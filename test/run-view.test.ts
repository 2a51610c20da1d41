/** `assay run --view`: a page of the run while it runs. Several viewers, and a port that is taken. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { command, machine } from './command.ts'

let root: string
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'assay-run-view-'))
  writeFileSync(
    join(root, 'suite.toml'),
    'id = "tiny"\n[[cases]]\nid = "a"\nprompt = "Say right."\n[[cases.graders]]\ntype = "equals"\nvalue = "right"\n',
  )
  // It answers when the file is there.
  writeFileSync(
    join(root, 'answer.sh'),
    'while [ ! -e go ]; do sleep 0.05; done\nprintf %s "${SECRET_API_KEY:-right}"\n',
  )
})
const started: ChildProcess[] = []
afterAll(() => {
  for (const child of started) child.kill('SIGKILL')
  rmSync(root, { recursive: true, force: true })
})

function start(...words: string[]): ChildProcess {
  const child = spawn(process.execPath, [command, ...words], {
    cwd: root,
    env: { ...machine(), XDG_CACHE_HOME: join(root, 'cache'), ASSAY_TRUST: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  started.push(child)
  return child
}

/** The address that a command prints. */
const addressOf = (child: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    let said = ''
    child.stderr?.on('data', (piece) => {
      said += String(piece)
      const [found] = /http:\S+/u.exec(said) ?? []
      if (found !== undefined) resolve(found)
    })
    child.on('exit', () => reject(new Error(said)))
  })

async function listAt(address: string): Promise<{ runs: { state: string; folder: string }[] }> {
  const entered = await fetch(address)
  const [cookie = ''] = (entered.headers.get('set-cookie') ?? '').split(';')
  const response = await fetch(new URL('/api/runs', address), { headers: { cookie } })
  return (await response.json()) as Awaited<ReturnType<typeof listAt>>
}

it('serves the run while it goes on, beside another viewer on a port of its own, and ends with it', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const { port } = taken.address() as AddressInfo
  const run = start('run', 'suite.toml', '-m', 'command:sh answer.sh', '--view', '-o', 'runs/one')
  const ended = once(run, 'exit') as Promise<[number]>
  const address = await addressOf(run)
  const other = start('view', 'runs', '--no-open', '--port', String(port))
  const second = await addressOf(other)
  expect([Number(new URL(second).port) > port, new URL(second).port]).not.toContain(
    new URL(address).port,
  )
  let state = ''
  while (state !== 'running') {
    ;[{ state } = { state: '' }] = (await listAt(address)).runs
    await sleep(20)
  }
  expect((await listAt(second)).runs).toMatchObject([{ state: 'running', folder: 'runs/one' }])
  writeFileSync(join(root, 'go'), '')
  expect((await ended)[0]).toBe(0)
  await expect(fetch(address)).rejects.toThrow('fetch failed')
  while (state !== 'complete') {
    ;[{ state } = { state: '' }] = (await listAt(second)).runs
    await sleep(20)
  }
  other.kill('SIGTERM')
  await once(other, 'exit')
  taken.close()
}, 60_000)

it('prints no colour codes of the name of a run that it passes over', async () => {
  const runs = join(root, 'hostile', '.assay', 'runs')
  mkdirSync(runs, { recursive: true })
  mkdirSync(join(root, 'hostile', '.git'))
  symlinkSync(root, join(runs, '\u001B[32mgreen'))
  const child = spawn(process.execPath, [command, 'view', '--no-open', '--port', '0'], {
    cwd: join(root, 'hostile'),
    env: { ...machine(), XDG_CACHE_HOME: join(root, 'cache'), NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  started.push(child)
  let said = ''
  child.stderr.on('data', (piece) => (said += String(piece)))
  await addressOf(child)
  child.kill()
  expect(said).toContain('[32mgreen')
  expect(said).not.toContain('\u001B')
})
