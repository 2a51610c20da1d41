/**
 * Provides the crates (packages) that a case depends on. They come from the user's vendored folder next to the suite
 * (`vendor/cargo`) or from cargo's cache. Nothing is downloaded. Cargo chooses their versions on the host, which runs
 * none of their code. Then it builds each set of crates once, in the sandbox, because build scripts and macros run
 * code. Solutions are compiled with these libraries, without cargo.
 */
import { isUtf8 } from 'node:buffer'
import { execFile } from 'node:child_process'
import { lstat, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { parse } from 'smol-toml'
import type { Dependency } from '@assay/contract'
import { limitedAs, makeOwnedFolder, SandboxError, type Sandbox } from '@assay/sandbox'
import { vendored } from '../../../vendor.ts'
import { BEGINNING, compilerEnv, gather } from './build.ts'
import type { Toolchain } from './toolchain.ts'
import type { Crates } from './crates.ts'

/** A set of crates with the versions that cargo has chosen. */
interface Resolved {
  readonly lock: string
  /** The folder with the sources of the crates, in the layout of `cargo vendor`. */
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
    // Without `[workspace]`, cargo would search all parent folders for a workspace. Another user may be able to write
    // to these folders.
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
 * Chooses the versions of the crates. Throws an error with cargo's message if a crate cannot be found. Crates
 * from the cache are copied to `into`.
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
      // Cargo reads settings from its working directory and all folders above it. Any user can write such settings
      // into a folder such as `/tmp`, so cargo runs in `/`.
      cwd: '/',
      timeout: RESOLVE_MS,
      env: await cargoEnv(toolchain, into),
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
      // A crate that is not in the vendored folder may be in the cache.
      if (!(await hasCache())) throw error
    }
  }
  const sources = join(into, 'sources')
  await cargo('vendor', '--versioned-dirs', sources)
  return { lock: await lock(), sources }
}

/** The largest size of a crate's manifest (`Cargo.toml`) that is read. Real manifests are much smaller. */
const MOST_MANIFEST = 4 * MEGA

/**
 * Returns the vendored folder, in the layout of `cargo vendor`, or null if there is none. Cargo reads this folder on
 * the host, and its error messages quote files that it cannot parse. A hostile suite could use that to make cargo
 * quote a file outside of the repository. So Assay refuses two kinds of crates. The first is a crate that is a link
 * to the outside. The second is a crate that takes settings from a workspace: cargo would search any folder for the
 * manifest of the workspace.
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
    await checkManifest(join(folder, crate, 'Cargo.toml'), `vendor/cargo/${crate}/Cargo.toml`)
  }
  return folder
}

async function checkManifest(path: string, shown: string): Promise<void> {
  const stats = await stat(path).catch(() => null)
  if (stats === null) return
  if (!stats.isFile() || stats.size > MOST_MANIFEST)
    throw new Error(`${shown} is not the manifest of a crate`)
  let manifest: unknown
  try {
    manifest = parse(await readFile(path, 'utf8'))
  } catch {
    throw new Error(`${shown} is not valid TOML`)
  }
  // A crate with its own table `[workspace]` is allowed, because it does not take settings from another folder.
  if (Object.values(manifest as object).some(namesWorkspace))
    throw new Error(
      `${shown} takes settings from a workspace: "cargo vendor" writes manifests that do not`,
    )
}

function namesWorkspace(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Object.hasOwn(value, 'workspace') || Object.values(value).some(namesWorkspace)
}

const isLink = async (path: string): Promise<boolean> =>
  (await lstat(path).catch(() => null))?.isSymbolicLink() ?? false

const isFolder = async (path: string): Promise<boolean> =>
  (await stat(path).catch(() => null))?.isDirectory() ?? false

const usersRegistry = (): string =>
  join(process.env['CARGO_HOME'] ?? join(process.env['HOME'] ?? '/', '.cargo'), 'registry')

const hasCache = (): Promise<boolean> => isFolder(join(usersRegistry(), 'cache'))

/**
 * Returns the environment for cargo. It sets a separate cargo home, which contains only the index and the downloaded
 * crates of the user's registry. So cargo cannot read the user's settings and credentials.
 */
async function cargoEnv(toolchain: Toolchain, into: string): Promise<Record<string, string>> {
  const home = join(into, 'home')
  const registry = join(home, 'registry')
  await mkdir(registry, { recursive: true })
  for (const name of ['index', 'cache']) {
    const theirs = join(usersRegistry(), name)
    if (await isFolder(theirs)) await symlink(theirs, join(registry, name)).catch(() => undefined)
  }
  return {
    ...compilerEnv(toolchain),
    HOME: home,
    CARGO_HOME: home,
    CARGO_NET_OFFLINE: 'true',
    RUSTC: toolchain.rustc,
  }
}

/**
 * Returns a message for each crate that is not available, with instructions to get it. If each crate is available but
 * they cannot be combined, returns one message for all.
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
      `the crate ${one.name}${version} is neither in ${vendor === null ? 'a folder vendor/cargo next to the suite' : join(vendor, 'cargo')} nor in cargo's cache: run "cargo vendor" in a project that depends on it and put the result there (cargo says: ${why})`,
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
  // The last lines of cargo's message are dropped, because they are about the generated project and about flags that
  // the user did not give.
  const [own] = said
    .replace(/^error: /u, '')
    .split(/^(?:required by package `assay-sample|As a reminder)/mu)
  return whole(own ?? '', 600)
}

/**
 * Returns the lines of the text, without repetitions, as many as fit into `most` characters. The first line is always
 * included.
 */
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

/** Builds a set of crates in the sandbox and puts the libraries into the folder `into`. */
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

/** Unpacks the libraries. Each one is sent as `name size`, a newline, and `size` bytes. */
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

/**
 * Finds the name and path of each built library. Cargo prints them when it calls the compiler for the crate that
 * depends on the libraries.
 */
function externsIn(said: string, into: string): string[] {
  const call = said.split('\n').find((line) => line.includes('--crate-name assay_sample '))
  const externs = [...(call ?? '').matchAll(/--extern ([\w]+)=([^\s`']+)/gu)]
  return externs.flatMap(([, name = '', path = '']) => {
    const library = basename(path).replace(/\.rmeta$/u, '.rlib')
    return ['--extern', `${name}=${join(into, library)}`]
  })
}
