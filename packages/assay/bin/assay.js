#!/usr/bin/env -S node --max-semi-space-size=8 --no-concurrent-recompilation --
// After --, Node leaves the flags to Assay: its own --env-file would take NODE_OPTIONS from the file before Assay can refuse it.
// A small nursery: the engine makes much short-lived garbage, which a larger one only lets pile up. Functions are optimised
// on the main thread: with other threads, more of them are, for more CPU and memory and at most a tenth less time.
//
// Checks the Node version before anything is imported that an older one could not even parse. Where an
// installation brings its own Node (this repository does), an older one hands over to it. Whichever process
// stays, no program that it starts can read a key in what the system shows of its environment.
const NEEDED = [22, 18]

async function ownNode() {
  const { createRequire } = await import('node:module')
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

// The engine's compiled form of the command is kept in the package's own folder, so that later starts need not
// compile it again. npm removes it with the package. Nothing is kept in another user's folder, where that user
// could not remove it.
async function keepCompiled() {
  const { statSync } = await import('node:fs')
  const { enableCompileCache } = await import('node:module')
  const { fileURLToPath } = await import('node:url')
  const dist = fileURLToPath(new URL('../dist/', import.meta.url))
  if (process.getuid === undefined || statSync(dist).uid === process.getuid())
    enableCompileCache(`${dist}compiled`)
}

const [major, minor] = process.versions.node.split('.').map(Number)
if (major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1])) {
  await keepCompiled()
  const { HANDED_OVER, keepSecrets } = await import('../dist/command/environment.js')
  if (process.channel && process.env[HANDED_OVER] !== undefined) {
    process.channel.unref()
    process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
  }
  keepSecrets()
  const { main } = await import('../dist/command/main.js')
  process.exitCode = await main(process.argv.slice(2), process)
} else {
  const node = await ownNode()
  if (node === null) {
    console.error(
      `assay needs Node ${NEEDED.join('.')} or newer, this is ${process.version}. Install it from your package manager or nodejs.org`,
    )
    process.exitCode = 2
  } else {
    const { spawn } = await import('node:child_process')
    const { HANDED_OVER, handOver, hideSecrets } = await import('../dist/command/environment.js')
    hideSecrets()
    // In a process group of its own, so that each signal reaches it once, through here; it watches the
    // channel and ends where this process is killed.
    // As in the first line: after --, Node takes no flags of Assay for its own.
    const child = spawn(node, ['--', ...process.argv.slice(1)], {
      stdio: ['inherit', 'inherit', 'inherit', 'ipc', 'pipe'],
      detached: true,
      env: { ...process.env, [HANDED_OVER]: '4' },
    })
    child.stdio[4].on('error', () => {}).end(handOver())
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
      process.on(signal, () => child.kill(signal))
    child.on('exit', (code) => {
      process.exitCode = code ?? 130
    })
  }
}
