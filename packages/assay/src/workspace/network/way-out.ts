/**
 * The only connection out of a sandbox without network. It is a socket in the home folder, which programs in the
 * sandbox can see. HTTP requests on the socket go to the gateway, which passes them on to a model's provider. If the
 * case allows some hosts, the socket is also a proxy for TLS connections to these hosts. The proxy checks the host's
 * name, connects, and passes the bytes on without reading them.
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
  /** The command line that starts the program in the sandbox. It first starts the program in enter.ts. */
  readonly argv: readonly [string, ...string[]]
  /** Variables that make programs use the proxy. */
  readonly env: Readonly<Record<string, string>>
  close(): Promise<void>
}

/** The longest path that Linux accepts for a socket, in bytes. */
const MOST_PATH = 107
const CONNECT_MS = 30_000
/** The most connections at once. More are refused, so that a program cannot use up Assay's file descriptors. */
const MOST_CONNECTIONS = 512

export interface WayOutOptions {
  /** The home folder's path on this machine. `seenHome` is its path in the sandbox. No program may run in it yet. */
  readonly home: string
  readonly seenHome: string
  /** The hosts that programs may reach, such as `registry.example.com` or `*.example.com`. */
  readonly hosts: readonly string[]
  readonly serve: ServeRequest | undefined
  /** The program to start in the sandbox, with its arguments. */
  readonly argv: readonly [string, ...string[]]
}

export async function openWayOut(options: WayOutOptions): Promise<WayOut> {
  const { home, seenHome, hosts, serve, argv } = options
  // The name is random, so that an earlier program in this home folder cannot have created anything at this path.
  const name = `.way-out-${randomBytes(8).toString('hex')}`
  const folder = `${home}/${name}`
  const inside = `${seenHome}/${name}`
  // An earlier program may have changed the permissions of its home folder.
  chmodSync(home, 0o700)
  mkdirSync(folder, { mode: 0o700 })
  const socket = `${folder}/out`
  const open = new Set<Duplex>()
  // The module is loaded only here. A normal import would load Node's HTTP client and WebSockets in every run.
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
    // Programs in the sandbox may run as another user. That user must be able to use the socket, but not to list the
    // folder.
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
        // The program made its home folder read-only. This folder is removed later, together with the home folder.
      }
    },
  }
}

const ADDRESS = `http://127.0.0.1:${WAY_OUT_PORT}`
const PROXY = {
  HTTPS_PROXY: ADDRESS,
  https_proxy: ADDRESS,
  // Node uses a proxy only if this variable is set.
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
  // The owner of an allowed name could let it point to an address of this machine or its network. Such services must
  // stay unreachable.
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

/** Whether the case allows a local address explicitly, by an IP address or `localhost`. */
const isNamedInner = (host: string): boolean => host === 'localhost' || net.isIP(host) !== 0
