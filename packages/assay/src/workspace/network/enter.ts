/**
 * The program that is started first in a sandbox without network. It listens on a local port of the sandbox and passes
 * every connection on to a socket that leads out of the sandbox (see way-out.ts). Then it starts the real program. Its
 * text is written to a file next to the socket, because Assay's own files are hidden in the sandbox.
 */

export const ENTER = `'use strict'
const net = require('node:net')
const { constants } = require('node:os')
const { spawn } = require('node:child_process')
const [port, socket, program, ...words] = process.argv.slice(2)
const server = net.createServer({ allowHalfOpen: true }, (inner) => {
  const outer = net.connect({ path: socket, allowHalfOpen: true })
  inner.pipe(outer)
  outer.pipe(inner)
  inner.on('error', () => outer.destroy())
  outer.on('error', () => inner.destroy())
  inner.on('close', () => outer.destroy())
  outer.on('close', () => inner.destroy())
})
server.listen(Number(port), '127.0.0.1', () => {
  const child = spawn(program, words, { stdio: 'inherit' })
  child.on('error', (error) => {
    process.stderr.write(program + ': ' + error.message + '\\n')
    process.exit(error.code === 'ENOENT' ? 127 : 126)
  })
  child.on('exit', (code, signal) => {
    process.exit(code === null ? 128 + constants.signals[signal] : code)
  })
})
`
