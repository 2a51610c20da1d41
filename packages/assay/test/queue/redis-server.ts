/** A real redis-server for tests, on a free port and in a temporary folder. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

/** Whether redis-server is installed. Tests that need it are skipped without it. */
export const hasRedis = spawnSync('redis-server', ['--version']).status === 0

export interface RedisServer {
  readonly url: string
  readonly port: number
  /** Ends the server as a crash would, or as an orderly stop does. */
  stop(signal?: NodeJS.Signals): Promise<void>
  /** Starts it again, with what its append-only file holds. */
  start(): Promise<void>
  /** Stops it and removes its folder. */
  remove(): Promise<void>
}

export async function startRedis(
  options: { readonly args?: readonly string[]; readonly port?: number } = {},
): Promise<RedisServer> {
  const folder = mkdtempSync(join(tmpdir(), 'assay-redis-'))
  const port = options.port ?? (await freePort())
  let server: ChildProcess | null = null
  const start = async (): Promise<void> => {
    server = spawn(
      'redis-server',
      [
        ...['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', ''],
        ...['--appendonly', 'yes', '--appendfsync', 'always', ...(options.args ?? [])],
      ],
      { stdio: 'ignore' },
    )
    const died = once(server, 'exit').then(() => {
      throw new Error('redis-server has ended')
    })
    died.catch(() => {})
    await Promise.race([reachable(port), died])
  }
  const stop = async (signal: NodeJS.Signals = 'SIGTERM'): Promise<void> => {
    if (server === null || server.exitCode !== null || server.signalCode !== null) return
    const ended = once(server, 'exit')
    server.kill(signal)
    await ended
  }
  await start()
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    start,
    stop,
    async remove() {
      await stop('SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

async function reachable(port: number): Promise<void> {
  for (;;) {
    const isThere = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1')
      let answer = ''
      socket.on('connect', () => socket.write('PING\r\n'))
      // While Redis loads its file, it answers with an error.
      socket.on('data', (data) => {
        answer += String(data)
        socket.destroy()
      })
      socket.on('close', () => resolve(answer.startsWith('+PONG') || answer.startsWith('-NOAUTH')))
      socket.on('error', () => resolve(false))
    })
    if (isThere) return
    await wait(20)
  }
}
