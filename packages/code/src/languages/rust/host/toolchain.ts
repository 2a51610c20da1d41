/**
 * Finds the Rust tools of this machine: the compiler, Clippy, cargo, and GCC, which links programs. The user's
 * `rustc` may be only a launcher, such as rustup's, which starts the real compiler. Then the real compiler is used.
 * The tools are searched once, when they are first needed.
 */
import { execFile } from 'node:child_process'
import { constants } from 'node:fs'
import { access, readdir, realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { foldersOnPath, programPath } from '@assay/sandbox'
import type { Tool } from '../../../language.ts'

const run = promisify(execFile)
const PATIENCE_MS = 20_000

export interface Toolchain {
  readonly rustc: string
  readonly clippy: string
  readonly cargo: string
  readonly linker: string
  /** The path of a linker in the toolchain that is faster than the system's; null if there is none. */
  readonly lld: string | null
  readonly sysroot: string
  /** The shared standard library; null if only the static one is installed. */
  readonly std: string | null
  /** For example `1.63.0`. */
  readonly version: string
  /** Paths that must be visible in a sandbox in addition to the system's. */
  readonly reads: readonly string[]
}

export interface Inspected {
  readonly tools: readonly Tool[]
  /** Null if a tool is missing or too old. */
  readonly toolchain: Toolchain | null
}

const OLDEST = [1, 63]
const APT = 'apt-get install'
const HOW = {
  rustc: `install Rust 1.63 or newer: ${APT} rustc, dnf install rust, or rustup from https://rustup.rs`,
  cargo: `install cargo: ${APT} cargo, dnf install cargo, or rustup from https://rustup.rs`,
  'clippy-driver': `install clippy: rustup component add clippy, ${APT} rust-clippy, or dnf install clippy`,
  gcc: `install gcc, which links Rust programs: ${APT} gcc libc6-dev, or dnf install gcc`,
}

/**
 * Inspects the installed tools. `rustc` is the path of one compiler, if several toolchains are installed. Default:
 * the first in PATH.
 */
export async function inspectRust(rustc?: string): Promise<Inspected> {
  const found = rustc ?? (await onPath('rustc'))
  // `said` does not run the launcher in the current folder, because a file there could make it use another toolchain.
  const sysroot = found === null ? null : await said(found, ['--print', 'sysroot'])
  const tool = async (name: string): Promise<string | null> =>
    sysroot === null
      ? null
      : ((await executable(join(sysroot, 'bin', name))) ?? (await besides(name, found ?? '')))
  const paths = {
    rustc: await tool('rustc'),
    cargo: await tool('cargo'),
    'clippy-driver': await tool('clippy-driver'),
    gcc: await onPath('gcc'),
  }
  const versionOf = async (path: string | null): Promise<string | null> =>
    path === null ? null : versionIn(await said(path, ['--version'], sysroot))
  const names = ['rustc', 'cargo', 'clippy-driver', 'gcc'] as const
  const versions = await Promise.all(names.map((name) => versionOf(paths[name])))
  const tools: Tool[] = []
  for (const [index, name] of names.entries()) {
    const version = versions[index] ?? null
    const isOld = name === 'rustc' && version !== null && isOlder(version)
    const how = isOld ? `Rust ${version} is too old. To fix: ${HOW.rustc}` : HOW[name]
    tools.push(
      version === null || isOld
        ? { name, version: isOld ? version : null, how }
        : { name, version },
    )
  }
  const { rustc: compiler, cargo, 'clippy-driver': clippy, gcc: linker } = paths
  if (
    tools.some(({ how }) => how !== undefined) ||
    sysroot === null ||
    compiler === null ||
    cargo === null ||
    clippy === null ||
    linker === null
  )
    return { tools, toolchain: null }
  const libraries = await said(compiler, ['--sysroot', sysroot, '--print', 'target-libdir'])
  const std = await standardLibrary(libraries)
  const apart = [join(sysroot, 'bin'), join(sysroot, 'lib')].filter((path) => !isSystem(path))
  const others = [compiler, cargo, clippy, linker].filter(
    (path) => !isSystem(path) && !apart.some((folder) => path.startsWith(`${folder}/`)),
  )
  return {
    tools,
    toolchain: {
      rustc: compiler,
      clippy,
      cargo,
      linker,
      lld: libraries === null ? null : await executable(join(libraries, '..', 'bin', 'rust-lld')),
      sysroot,
      std,
      version: tools[0]?.version ?? '',
      reads: [...apart, ...others],
    },
  }
}

/** True for paths that every program with `system` sees in the sandbox. */
const isSystem = (path: string): boolean => /^\/usr\/(bin|lib|lib64|libexec)(\/|$)/u.test(path)

async function onPath(name: string): Promise<string | null> {
  const usual = ['/usr/bin', '/bin']
  for (const folder of [...foldersOnPath(), ...usual]) {
    const path = await executable(join(folder, name))
    // GCC looks for its other programs in its own folder, so links to that folder are resolved.
    if (path !== null) return name === 'gcc' ? await realFolder(path) : path
  }
  return null
}

/** Resolves the folder: if `/bin` is a link to `/usr/bin`, returns the path in the latter. */
const realFolder = async (path: string): Promise<string> =>
  join(await realpath(dirname(path)), path.slice(path.lastIndexOf('/') + 1))

const besides = (name: string, rustc: string): Promise<string | null> =>
  executable(join(dirname(rustc), name))

async function executable(path: string): Promise<string | null> {
  try {
    await access(path, constants.X_OK)
    return path
  } catch {
    return null
  }
}

async function said(
  path: string,
  args: readonly string[],
  sysroot?: string | null,
): Promise<string | null> {
  try {
    // Without SYSROOT, Clippy would ask the first `rustc` in PATH for its libraries.
    const own = { ...process.env, PATH: programPath() }
    const env = { ...own, ...(sysroot == null ? {} : { SYSROOT: sysroot }) }
    const { stdout } = await run(path, [...args], { cwd: '/', env, timeout: PATIENCE_MS })
    return stdout.trim()
  } catch {
    return null
  }
}

const versionIn = (text: string | null): string | null =>
  text === null ? null : (/\d+\.\d+(\.\d+)?/u.exec(text.split('\n')[0] ?? '')?.[0] ?? 'unknown')

function isOlder(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST
  return major < oldestMajor || (major === oldestMajor && minor < oldestMinor)
}

async function standardLibrary(folder: string | null): Promise<string | null> {
  if (folder === null) return null
  const names = await readdir(folder).catch(() => [])
  const name = names.find((one) => /^libstd-[0-9a-f]+\.so$/u.test(one))
  // In some distributions, this file is a link. The target is returned, because only the target is visible in the
  // sandbox.
  return name === undefined ? null : realpath(join(folder, name))
}
