/**
 * Provides the crates that a case depends on, from the user's vendored folder next to the suite (`vendor/cargo`) or
 * from cargo's cache. Nothing is downloaded. Cargo resolves them on the host, which runs none of their code. It
 * builds each set once in the sandbox, because build scripts and macros run code. Solutions are then compiled with
 * these libraries, without cargo.
 */
import { isUtf8 } from 'node:buffer'
import { execFile } from 'node:child_process'
import { lstat, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import type { Dependency } from '@assay/contract'
import { limitedAs, makeOwnedFolder, SandboxError, type Sandbox } from '@assay/sandbox'
import { vendored } from '../../../vendor.ts'
import { BEGINNING, compilerEnv, gather } from './build.ts'
import type { Toolchain } from './toolchain.ts'
import type { Crates } from './crates.ts'

/** A resolved set of crates. */
interface Resolved {
  readonly lock: string
  /** A folder in the layout of `cargo vendor`. */
  readonly sources: string
}

const run = promisify(execFile)
const RESOLVE_MS = 120_000
const MEGA = 1024 * 1024
const MOST_LIBRARIES = 1024 * MEGA

export function manifestOf(dependencies: readonly Dependency[]): string {
  const lines = dependencies.map(({ name, version, features }) => {
    const listed = features.length === 0 ? '' : `, features = ${JSON.stringify(features)}`
    return `${JSON.stringify(name)} = { version = ${JSON.stringify(version ?? '*')}${listed} }`
  })
  return [
    ...['[package]', 'name = "assay-sample"', 'version = "0.0.0"', 'edition = "2021"', ''],
    // Without this, cargo searches all parent folders for a workspace, and these may belong to another user.
    ...['[workspace]', ''],
    ...['[profile.dev]', 'debug = 0', 'incremental = false', '', '[dependencies]', ...lines, ''],
  ].join('\n')
}

const configOf = (sources: string): string =>
  [
    ...['[source.crates-io]', 'replace-with = "assay"', ''],
    ...['[source.assay]', `directory = ${JSON.stringify(sources)}`, ''],
  ].join('\n')

/**
 * Resolves the crates. Throws cargo's message if some cannot be found. Crates from the cache are copied to `into`.
 */
export async function resolve(
  toolchain: Toolchain,
  dependencies: readonly Dependency[],
  vendor: string | null,
  into: string,
): Promise<Resolved> {
  const folder = vendor === null ? null : await crateFolder(vendor)
  const project = join(into, 'project')
  await mkdir(join(project, 'src'), { recursive: true })
  await writeFile(join(project, 'Cargo.toml'), manifestOf(dependencies))
  await writeFile(join(project, 'src', 'lib.rs'), '')
  const cargo = async (...args: string[]): Promise<void> => {
    const manifest = ['--manifest-path', join(project, 'Cargo.toml')]
    await run(toolchain.cargo, [...args, ...manifest, '--offline', '--quiet'], {
      // Cargo reads settings from all parent folders, and those of a temporary folder are writable by everyone.
      cwd: '/',
      timeout: RESOLVE_MS,
      env: { ...process.env, RUSTC: toolchain.rustc, CARGO_NET_OFFLINE: 'true' },
    })
  }
  const lock = (): Promise<string> => readFile(join(project, 'Cargo.lock'), 'utf8')
  if (folder !== null) {
    const config = join(into, 'config.toml')
    await writeFile(config, configOf(folder))
    try {
      await cargo('generate-lockfile', '--config', config)
      return { lock: await lock(), sources: folder }
    } catch (error) {
      // The cache may have what the vendored folder lacks.
      if (!(await hasCache())) throw error
    }
  }
  const sources = join(into, 'sources')
  await cargo('vendor', '--versioned-dirs', sources)
  return { lock: await lock(), sources }
}

/**
 * Returns the vendored folder, in the layout of `cargo vendor`, or null if there is none. Cargo reads it on the host
 * and quotes files that it cannot parse. So no crate in it may be a link to outside of the repository.
 */
async function crateFolder(vendor: string): Promise<string | null> {
  const folder = vendored(vendor, 'cargo')
  if (folder === null || !(await isFolder(folder))) return null
  for (const bytes of await readdir(folder, { encoding: 'buffer' })) {
    const crate = bytes.toString('utf8')
    if (!isUtf8(bytes)) throw new Error(`vendor/cargo/${crate} is not valid UTF-8`)
    for (const name of ['', 'Cargo.toml', '.cargo-checksum.json']) {
      const file = join('cargo', crate, name)
      if (vendored(vendor, file) === null && (await isLink(join(vendor, file))))
        throw new Error(`vendor/${file} is a link that leads out of the suite's repository`)
    }
  }
  return folder
}

const isLink = async (path: string): Promise<boolean> =>
  (await lstat(path).catch(() => null))?.isSymbolicLink() ?? false

const isFolder = async (path: string): Promise<boolean> =>
  (await stat(path).catch(() => null))?.isDirectory() ?? false

function hasCache(): Promise<boolean> {
  const home = process.env['CARGO_HOME'] ?? join(process.env['HOME'] ?? '/', '.cargo')
  return isFolder(join(home, 'registry', 'cache'))
}

/**
 * Returns the crates that are not available, each with how to get it. If each one is available but the set cannot be
 * resolved, returns one message for all.
 */
export async function missingCrates(
  toolchain: Toolchain,
  dependencies: readonly Dependency[],
  vendor: string | null,
): Promise<string[]> {
  if (dependencies.length === 0) return []
  const lacking: string[] = []
  const all = await whyNot(toolchain, dependencies, vendor)
  if (all === null) return []
  for (const one of dependencies) {
    const why = dependencies.length === 1 ? all : await whyNot(toolchain, [one], vendor)
    if (why === null) continue
    const version = one.version === null ? '' : ` ${one.version}`
    lacking.push(
      `the crate ${one.name}${version} is neither in ${vendor === null ? 'a folder vendor/cargo beside the suite' : join(vendor, 'cargo')} nor in cargo's cache: run "cargo vendor" in a project that depends on it and put the result there (cargo says: ${why})`,
    )
  }
  return lacking.length > 0 ? lacking : [`the crates do not go together (cargo says: ${all})`]
}

async function whyNot(
  toolchain: Toolchain,
  dependencies: readonly Dependency[],
  vendor: string | null,
): Promise<string | null> {
  const folder = makeOwnedFolder('assay-crates')
  try {
    await resolve(toolchain, dependencies, vendor, folder)
    return null
  } catch (error) {
    return wordsOf(error)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function wordsOf(error: unknown): string {
  const { stderr = '', message = String(error) } = error as { stderr?: string; message?: string }
  const said = stderr.trim() === '' ? message : stderr
  return whole(said.replace(/^error: /u, ''), 400)
}

/** Returns distinct lines, as many as fit into `most` characters. The first line is always included. */
export function whole(text: string, most: number): string {
  const lines = new Set(text.split('\n').map((line) => line.replaceAll(/\s+/gu, ' ').trim()))
  lines.delete('')
  let said = ''
  for (const line of lines) {
    if (said !== '' && said.length + line.length + 1 > most) return `${said} …`
    said += said === '' ? line : ` ${line}`
  }
  return said
}

/** Builds a set in the sandbox and puts its libraries into `into`. */
export async function buildCrates(
  sandbox: Sandbox,
  toolchain: Toolchain,
  { lock, sources }: Resolved,
  dependencies: readonly Dependency[],
  into: string,
): Promise<Crates> {
  const files = {
    'Cargo.toml': manifestOf(dependencies),
    'Cargo.lock': lock,
    '.cargo/config.toml': configOf(sources),
    'src/lib.rs': '',
  }
  const script = [
    ...BEGINNING,
    'mkdir -p home project/.cargo project/src',
    'export CARGO_HOME=$work/home',
    'cd project',
    ...Object.entries(files).map(
      ([name, text]) => `head -c ${Buffer.byteLength(text)} <&3 >${name}`,
    ),
    `'${toolchain.cargo}' build --verbose --offline --locked --color never >&2 || exit 1`,
    'cd target/debug/deps',
    'for one in *.rlib *.rmeta *.so; do [ -f "$one" ] && echo "$one $(wc -c <"$one")" >&3 && cat "$one" >&3; done',
    'exit 0',
  ]
  const boxed = sandbox.start({
    argv: ['/bin/sh', '-c', script.join('\n')],
    reads: [...toolchain.reads, sources],
    env: {
      ...compilerEnv(toolchain),
      RUSTC: toolchain.rustc,
      RUSTFLAGS: `-C linker=${toolchain.linker} --sysroot ${toolchain.sysroot}`,
    },
    ...limitedAs('rustDependencies'),
    pipes: 1,
    system: true,
    self: toolchain.rustc,
  })
  const [pipe] = boxed.pipes
  if (pipe === undefined) throw new SandboxError('the sandbox gave no pipe')
  const [words, libraries] = [gather(boxed.stderr, 4 * MEGA), gather(pipe, MOST_LIBRARIES)]
  boxed.stdout.resume()
  for (const text of Object.values(files)) pipe.write(text)
  const { code } = await boxed.ended
  const said = (await words).toString('utf8')
  if (code !== 0)
    throw new SandboxError(
      `the case's crates could not be built (exit ${code}): ${whole(said.slice(Math.max(0, said.search(/^error/mu))), 1500)}`,
    )
  await unpack(await libraries, into)
  return { flags: [...externsIn(said, into), '-L', `dependency=${into}`], reads: [into] }
}

/** Unpacks the libraries. Each is `name size`, a newline, and that many bytes. */
async function unpack(bytes: Buffer, into: string): Promise<void> {
  await mkdir(into, { recursive: true, mode: 0o755 })
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf('\n', at)
    const [, name, size] = /^([\w.-]+) (\d+)$/u.exec(bytes.toString('utf8', at, end)) ?? []
    if (end === -1 || name === undefined || !/^[\w-]+\.(rlib|rmeta|so)$/u.test(name))
      throw new SandboxError('the libraries of the crates came back broken')
    at = end + 1 + Number(size)
    await writeFile(join(into, name), bytes.subarray(end + 1, at), { mode: 0o755 })
  }
}

/** Finds the name and path of each library in cargo's compiler call for the crate that depends on them. */
function externsIn(said: string, into: string): string[] {
  const call = said.split('\n').find((line) => line.includes('--crate-name assay_sample '))
  const externs = [...(call ?? '').matchAll(/--extern ([\w]+)=([^\s`']+)/gu)]
  return externs.flatMap(([, name = '', path = '']) => {
    const library = basename(path).replace(/\.rmeta$/u, '.rlib')
    return ['--extern', `${name}=${join(into, library)}`]
  })
}
