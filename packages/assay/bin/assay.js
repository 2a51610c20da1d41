#!/usr/bin/env node
// Checks the Node version before anything is imported that an older one could not even parse. Where an
// installation brings its own Node (this repository does), an older one hands over to it.
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'

const NEEDED = 24

function ownNode() {
  const require = createRequire(import.meta.url)
  try {
    const platform = process.platform === 'win32' ? 'win' : process.platform
    const manifest = require.resolve(`node-${platform}-${process.arch}/package.json`)
    return manifest.replace(
      /package\.json$/,
      process.platform === 'win32' ? 'bin/node.exe' : 'bin/node',
    )
  } catch {
    return null
  }
}

if (Number(process.versions.node.split('.')[0]) >= NEEDED) {
  await import('../dist/cli/main.js')
} else {
  const node = ownNode()
  if (node === null) {
    console.error(
      `assay needs Node ${NEEDED} or newer, this is ${process.version}. Install it from your package manager or nodejs.org`,
    )
    process.exitCode = 2
  } else {
    const child = spawn(node, process.argv.slice(1), { stdio: 'inherit' })
    // Signals from the terminal reach the child as well; it decides what they mean.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
      process.on(signal, () => child.kill(signal))
    process.removeAllListeners('SIGINT').on('SIGINT', () => {})
    child.on('exit', (code) => {
      process.exitCode = code ?? 130
    })
  }
}
