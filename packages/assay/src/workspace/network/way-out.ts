/**
 * The only way out of a sandbox without network: a socket in the home folder that programs inside have. HTTP requests on
 * it go to the gateway. With a list of hosts, it is also a proxy for TLS connections to them. The proxy checks the name, connects, and
 * passes the bytes on unread.
 */
import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import net, { BlockList } from 'node:net'
import type { Duplex } from 'node:stream'
import { WAY_OUT_PORT, type ServeRequest } from '@assay/contract'
import { WorkspaceError } from '../workspace-error.ts'
import { ENTER } from './enter.ts'

export interface WayOut {
  /** The words that start the program inside. */
  readonly argv: readonly [string, ...string[]]
  /** Variables that lead programs to the proxy. */
  readonly env: Readonly<Record<string, string>>
  close(): Promise<void>
}

/** The longest path of a socket that Linux accepts. */
const MOST_PATH = 107
const CONNECT_MS = 30_000
/** More connections at once are refused, so that a program cannot use up the file descriptors of Assay. */
const MOST_CONNECTIONS = 512

export interface WayOutOptions {
  /** The home folder: its path on this machine, and the one inside. No program may run in it yet. */
  readonly home: string
  readonly seenHome: string
  /** Names that may be reached, such as `registry.example.com` or `*.example.com`. */
  readonly hosts: readonly string[]
  readonly serve: ServeRequest | undefined
  /** The program to start inside, with its arguments. */
  readonly argv: readonly [string, ...string[]]
}

export async function openWayOut(options: WayOutOptions): Promise<WayOut> {
  const { home, seenHome, hosts, serve, argv } = options
  // The name is new each time, so that no earlier program can have put anything there.
  const name = `.way-out-${randomBytes(8).toString('hex')}`
  const folder = `${home}/${name}`
  const inside = `${seenHome}/${name}`
  // An earlier program may have changed the mode of its home.
  chmodSync(home, 0o700)
  mkdirSync(folder, { mode: 0o700 })
  const socket = `${folder}/out`
  const open = new Set<Duplex>()
  // An import of the module would load all of Node's HTTP client and WebSockets in every run.
  const { createServer } = process.getBuiltinModule('node:http')
  const server = createServer({ requestTimeout: 0 }, serve ?? refused)
  server.on('connect', (request, inner, head) => {
    connect(request.url ?? '', hosts, inner, head, open).catch(() => inner.destroy())
  })
  try {
    if (Buffer.byteLength(socket) > MOST_PATH)
      throw new WorkspaceError(
        `the folder for temporary files has too long a path for a socket: ${folder}. Set TMPDIR to a shorter one`,
      )
    writeFileSync(`${folder}/enter.cjs`, ENTER, { mode: 0o644 })
    server.listen(socket)
    await once(server, 'listening')
    server.on('error', () => {})
    server.maxConnections = MOST_CONNECTIONS
    // The user of the sandbox is another one. It may use the socket and cannot list the folder.
    chmodSync(socket, 0o666)
    chmodSync(`${folder}/enter.cjs`, 0o644)
    chmodSync(folder, 0o711)
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
  return {
    argv: [process.execPath, `${inside}/enter.cjs`, String(WAY_OUT_PORT), `${inside}/out`, ...argv],
    env: hosts.length === 0 ? {} : PROXY,
    async close() {
      for (const one of open) one.destroy()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      try {
        rmSync(folder, { recursive: true, force: true })
      } catch {
        // The program made its home unwritable. The folder is removed with the home.
      }
    },
  }
}

const ADDRESS = `http://127.0.0.1:${WAY_OUT_PORT}`
const PROXY = {
  HTTPS_PROXY: ADDRESS,
  https_proxy: ADDRESS,
  // Node uses the proxy only if told so.
  NODE_USE_ENV_PROXY: '1',
  NO_PROXY: '127.0.0.1,localhost',
  no_proxy: '127.0.0.1,localhost',
}

const refused: ServeRequest = (_, response) => {
  response.writeHead(403, { connection: 'close' })
  response.end('this sandbox has no network\n')
}

async function connect(
  target: string,
  hosts: readonly string[],
  inner: Duplex,
  head: Buffer,
  open: Set<Duplex>,
): Promise<void> {
  const refuse = (status: string): void => {
    inner.end(`HTTP/1.1 ${status}\r\nconnection: close\r\n\r\n`)
  }
  inner.on('error', () => inner.destroy())
  open.add(inner)
  inner.on('close', () => open.delete(inner))
  const [, host = '', port = ''] = /^([^:]+):(\d{1,5})$/u.exec(target.toLowerCase()) ?? []
  const isPort = Number(port) >= 1 && Number(port) <= 65_535
  if (host === '' || !isPort || !hosts.some((one) => isAllowed(host, one)))
    return refuse('403 Not allowed by the case')
  const address = await lookup(host).then(
    (found) => found.address,
    () => null,
  )
  if (inner.destroyed) return
  if (address === null) return refuse('502 No such host')
  // A name that somebody else controls must not lead to services of this machine or its network.
  if (isInner(address) && !isNamedInner(host)) return refuse('403 Not allowed: an inner address')
  const outer = net.connect({ host: address, port: Number(port), timeout: CONNECT_MS })
  open.add(outer)
  outer.on('close', () => {
    open.delete(outer)
    inner.destroy()
  })
  inner.on('close', () => outer.destroy())
  outer.on('error', () => refuse('502 Not reachable'))
  outer.on('timeout', () => outer.destroy())
  outer.once('connect', () => {
    outer.setTimeout(0)
    inner.write('HTTP/1.1 200 Connected\r\n\r\n')
    if (head.length > 0) outer.write(head)
    inner.pipe(outer)
    outer.pipe(inner)
  })
}

/** Whether a pattern allows a host. `*.example.com` allows all names below example.com, but not that name itself. */
export const isAllowed = (host: string, pattern: string): boolean => {
  const wanted = pattern.toLowerCase()
  return wanted.startsWith('*.')
    ? host.endsWith(wanted.slice(1)) && host.length > wanted.length - 1
    : host === wanted
}

const INNER = new BlockList()
for (const [address, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const)
  INNER.addSubnet(address, bits)
for (const [address, bits] of [
  ['::', 127],
  ['fc00::', 7],
  ['fe80::', 10],
  ['::ffff:0:0', 96],
] as const)
  INNER.addSubnet(address, bits, 'ipv6')

const isInner = (address: string): boolean =>
  INNER.check(address, net.isIPv6(address) ? 'ipv6' : 'ipv4')

/** Whether the case itself names an inner address, or this machine. */
const isNamedInner = (host: string): boolean => host === 'localhost' || net.isIP(host) !== 0
