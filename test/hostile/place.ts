/**
 * Prepares a machine for grading hostile programs. It makes a copy of Assay that another user can run. It also
 * creates things that the programs must not reach: secrets in the home folder, in the environment and next to the
 * harness, and listeners on loopback that count connections.
 */
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { homedir, tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import type { World } from './program.ts'

export interface Place {
  readonly folder: string
  /** The path of Node in the copy. */
  readonly node: string
  readonly world: Omit<World, 'mark' | 'suite'>
  readonly env: Readonly<Record<string, string>>
  readonly secrets: Readonly<Record<string, string>>
  /** A value that only the hidden tests contain. */
  readonly key: string
  /** Creates a new folder that belongs to that user. */
  folderFor(name: string, user: number | undefined): string
  /** The connections to the listeners on loopback so far. */
  visitors(): number
  /** Returns all places in which something was changed that must not change. */
  changes(): string[]
  close(): Promise<void>
}

const ROOT = new URL('../../', import.meta.url).pathname
const SYSTEM = ['/etc/shadow', '/etc/passwd', '/home', '/var', '/run', join(homedir(), '.ssh')]
/** The metadata service of cloud machines, a name server, and a host name. */
const BEYOND = ['169.254.169.254:80', '1.1.1.1:53', 'example.com:80']
const VARIABLE = 'ASSAY_PLANTED_API_KEY'

export async function makePlace(): Promise<Place> {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'assay-hostile-'))
  chmodSync(folder, 0o755)
  copyAssay(folder)
  const secret = (name: string): string => `PLANTED-${name}-${randomBytes(12).toString('hex')}`
  const secrets = { environment: secret('env'), home: secret('home'), harness: secret('harness') }
  const key = `KEY-${randomBytes(12).toString('hex')}`
  const home = join(folder, 'home')
  const open = join(folder, 'open')
  const outside = join(open, 'outside')
  for (const path of [home, join(home, '.ssh'), open, outside]) mkdirSync(path, { mode: 0o755 })
  for (const path of [open, outside]) chmodSync(path, 0o777)
  const beside = join(folder, 'packages/code/dist')
  const typed = join(beside, 'planted.ts')
  const json = join(beside, 'planted.json')
  const text = join(beside, 'planted.txt')
  const planted: Record<string, string> = {
    [join(home, '.ssh/id_ed25519')]: secrets.home,
    [join(home, '.planted')]: secrets.home,
    [typed]: `export const planted = '${secrets.harness}' as const\n`,
    [json]: JSON.stringify({ planted: secrets.harness }),
    [text]: secrets.harness,
    [join(folder, 'packages/code/src/languages/python/sandboxed/planted.txt')]: secrets.harness,
    [join(folder, 'planted.txt')]: secrets.harness,
  }
  for (const [path, content] of Object.entries(planted)) writeFileSync(path, content)
  const source = join(beside, 'grade-code.js')
  const listeners = await listen(join(open, 'socket'))
  return {
    folder,
    node: join(folder, relative(ROOT, process.execPath)),
    secrets,
    key,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: home,
      [VARIABLE]: secrets.environment,
      OPENAI_API_KEY: secrets.environment,
    },
    world: {
      ...listeners.world,
      variable: VARIABLE,
      files: [...Object.keys(planted), source, join(folder, 'package.json')],
      typed,
      json,
      text,
      system: SYSTEM,
      beyond: BEYOND,
      outside,
    },
    folderFor(name, user) {
      const path = join(folder, name)
      mkdirSync(join(path, 'tmp'), { recursive: true })
      if (user !== undefined)
        for (const one of [path, join(path, 'tmp')]) chownSync(one, user, user)
      return path
    },
    visitors: listeners.visitors,
    changes: () => [
      ...readdirSync(outside).map((name) => join(outside, name)),
      ...Object.entries(planted)
        .filter(([path, content]) => readFileSync(path, 'utf8') !== content)
        .map(([path]) => path),
    ],
    async close() {
      await listeners.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

// ── The copy ─────────────────────────────────────────────────────────────────────────────────────────

/** What the package needs to run, and the Node that runs it. All users can read it. */
function copyAssay(folder: string): void {
  const copy = (path: string): void => {
    if (!existsSync(join(ROOT, path))) return
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    cpSync(join(ROOT, path), join(folder, path), { recursive: true, verbatimSymlinks: true })
  }
  copy('package.json')
  copy('test/hostile')
  for (const part of ['bin', 'dist', 'package.json', 'prices', 'suites'])
    copy(`packages/assay/${part}`)
  for (const name of ['code', 'contract', 'metrics', 'sandbox'])
    for (const part of ['dist', 'package.json']) copy(`packages/${name}/${part}`)
  for (const language of ['python', 'rust'])
    copy(`packages/code/src/languages/${language}/sandboxed`)
  for (const path of runtimePackages()) copy(path)
  const node = relative(ROOT, process.execPath)
  if (node.startsWith('..'))
    throw new Error('run this with the Node of the project: npm run test:long')
  copy(node)
  spawnSync('chmod', ['-R', 'a+rX', folder])
}

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

/** The folders of packages from the root, found in the way Node finds them. */
function runtimePackages(): string[] {
  const found = new Set(['node_modules/assay'])
  for (const path of found) {
    const manifest = JSON.parse(readFileSync(join(ROOT, path, 'package.json'), 'utf8')) as Manifest
    const names = Object.keys({
      ...manifest.dependencies,
      ...manifest.optionalDependencies,
      ...manifest.peerDependencies,
    })
    for (const name of names) {
      let at = path
      while (at !== '.' && !existsSync(join(ROOT, at, 'node_modules', name))) at = dirname(at)
      const place = join(at === '.' ? '' : at, 'node_modules', name)
      if (existsSync(join(ROOT, place))) found.add(place)
    }
  }
  return [...found].toSorted((a, b) => a.length - b.length)
}

// ── The listeners ────────────────────────────────────────────────────────────────────────────────────

async function listen(socket: string): Promise<{
  world: Pick<World, 'tcp' | 'udp' | 'abstract' | 'socket'>
  visitors: () => number
  close: () => Promise<void>
}> {
  let came = 0
  const abstract = `assay-hostile-${randomBytes(6).toString('hex')}`
  const counting = (): Server =>
    createServer((one) => {
      came++
      one.on('error', () => {})
      one.destroy()
    })
  const tcp = counting()
  const servers = [
    { server: tcp, at: { port: 0, host: '127.0.0.1' } },
    { server: counting(), at: { path: `\0${abstract}` } },
    { server: counting(), at: { path: socket } },
  ]
  for (const { server, at } of servers) {
    server.listen(at)
    await once(server, 'listening')
  }
  chmodSync(socket, 0o777)
  if (!statSync(socket).isSocket()) throw new Error('there is no socket')
  const datagrams = createSocket('udp4', () => came++)
  datagrams.bind(0, '127.0.0.1')
  await once(datagrams, 'listening')
  return {
    world: {
      tcp: (tcp.address() as AddressInfo).port,
      udp: datagrams.address().port,
      abstract,
      socket,
    },
    visitors: () => came,
    async close() {
      datagrams.close()
      await Promise.all(servers.map(({ server }) => once(server.close(), 'close')))
    },
  }
}
