/**
 * Runs the work in a different sandbox from its tests. The tests start a program called `product`, with arguments
 * and input as usual. This program passes them to Assay's process, which starts the work's own command in a second
 * sandbox and passes the output back. The tests see the initial files of the case and the hidden files, but nothing
 * that the agent wrote. The work sees no hidden file and no process of the tests. So the work can decide only what
 * it prints and how it ends.
 */
import { once } from 'node:events'
import { chmodSync, lchownSync, lstatSync, writeFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Sandbox, SandboxedProcess } from '@assay/sandbox'
import {
  startCommand,
  stageWork,
  type CommandLimits,
  type StagedFolder,
} from '../command/suite-command.ts'
import type { GradedWorkspace } from '../grader.ts'

export interface Product {
  /** Ends every process of the work and removes its folder. */
  close(): Promise<void>
}

export interface ProductOptions {
  /** The command of the work, as a list of words. The arguments that the tests give are added. */
  readonly words: readonly string[]
  readonly workspace: GradedWorkspace
  readonly sandbox: Sandbox
  readonly limits: CommandLimits
  readonly signal: AbortSignal
  /** The folder of the tests' reporter: its real path, and the path at which the tests see it. */
  readonly folder: string
  readonly seen: string
}

/** The name of the program that the tests start. */
const PROGRAM = 'product'
const SOCKET = 'p'

/** The source of the program that the tests start. It connects to Assay's process and passes everything on. */
const client = (socket: string): string => `#!${process.execPath}
const socket = require('node:net').connect(${JSON.stringify(socket)})
const send = (message) => socket.write(JSON.stringify(message) + '\\n')
send({ args: process.argv.slice(2) })
process.stdin.on('data', (data) => send({ data: data.toString('base64') }))
process.stdin.on('end', () => send({ end: true }))
process.stdin.on('error', () => {})
let code = 1
require('node:readline').createInterface({ input: socket }).on('line', (line) => {
  const message = JSON.parse(line)
  if (message.out) process.stdout.write(Buffer.from(message.out, 'base64'))
  if (message.err) process.stderr.write(Buffer.from(message.err, 'base64'))
  if ('code' in message) {
    code = message.code
    process.stdin.destroy()
    socket.end()
  }
}).on('close', () => { process.exitCode = code; process.stdin.destroy() })
socket.on('error', () => { process.exitCode = 125; process.stdin.destroy() })
`

export async function openProduct(options: ProductOptions): Promise<Product> {
  const { workspace, sandbox, folder, seen } = options
  const staged = await stageWork(workspace, sandbox, { what: 'work' })
  const running = new Set<SandboxedProcess>()
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    serve(socket, staged, options, running)
  })
  const close = async (): Promise<void> => {
    server.close()
    for (const socket of sockets) socket.destroy()
    await Promise.all([...running].map((one) => one.kill()))
    await staged.remove()
  }
  try {
    const { uid, gid } = lstatSync(folder)
    const [program, at] = [join(folder, PROGRAM), join(folder, SOCKET)]
    writeFileSync(program, client(join(seen, SOCKET)), { mode: 0o755 })
    server.listen(at)
    await once(server, 'listening')
    // If Assay runs as root, the tests run as another user, and that user must be able to connect.
    chmodSync(at, 0o777)
    for (const path of [program, at]) lchownSync(path, uid, gid)
  } catch (error) {
    await close()
    throw error
  }
  return { close }
}

type Message = { args?: unknown; data?: unknown; end?: unknown }

function serve(
  socket: Socket,
  staged: StagedFolder,
  { words, sandbox, limits, signal }: ProductOptions,
  running: Set<SandboxedProcess>,
): void {
  let started: SandboxedProcess | null = null
  const send = (message: object): void => {
    if (socket.writable) socket.write(`${JSON.stringify(message)}\n`)
  }
  const begin = (args: readonly string[]): void => {
    const command = [...words, ...args]
    const one = startCommand(sandbox, { command, input: '', env: {}, limits }, staged)
    started = one
    running.add(one)
    // The first pipe only says that the folder is ready. It is read so that it does not block.
    one.pipes[0]?.resume()
    one.stdout.on('data', (data: Buffer) => send({ out: data.toString('base64') }))
    one.stderr.on('data', (data: Buffer) => send({ err: data.toString('base64') }))
    void one.ended.then(({ code }) => {
      running.delete(one)
      send({ code: code ?? 137 })
      socket.end()
      return undefined
    })
  }
  socket.on('close', () => void started?.kill())
  createInterface({ input: socket })
    .on('error', () => {})
    .on('line', (line) => {
      try {
        const { args, data, end } = JSON.parse(line) as Message
        if (started === null && Array.isArray(args) && !signal.aborted) begin(args.map(String))
        else if (typeof data === 'string') started?.stdin.write(Buffer.from(data, 'base64'))
        else if (end === true) started?.stdin.end()
      } catch {
        socket.destroy()
      }
    })
}
