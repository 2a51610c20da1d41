/**
 * Compiles one solution in one sandbox. First the solution is checked and linted alone. If that succeeds, it is built
 * together with the tests. Sources and compiler output go through pipes, not files. So a solution cannot include the
 * hidden tests as a file, and the host opens no file that was created in a sandbox. The built program is sent to the
 * host as bytes, and runs in another sandbox without a compiler.
 */
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { limitedAs, PROFILES, SandboxError, type Program, type Sandbox } from '@assay/sandbox'
import type { Fault } from '../../../language.ts'
import type { TestCrate } from './tests/crate.ts'
import type { Crates } from './crates.ts'
import { EDITION } from './edition.ts'
import { FOLDER } from './includes.ts'
import type { Toolchain } from './toolchain.ts'

/** Compiler output beyond this is dropped. */
const MOST_WORDS = 8 * 1024 * 1024

const LIMITS = PROFILES.rustCompiler

/** The result of one compiler step. */
export interface Step {
  /** The compiler's exit code; null if the sandbox ended before the compiler did. */
  readonly code: number | null
  readonly words: string
}

export interface Request {
  /** The source of the crate's main file. */
  readonly root: string
  /**
   * The other files of the solution, by path from the top folder. The folder of the main file may be below the
   * top folder.
   */
  readonly files: Readonly<Record<string, string>>
  /** The folder of the main file within `files`. */
  readonly folder: string
  readonly lint: boolean
  readonly allowUnsafe: boolean
  readonly edition: string
  readonly crates: Crates | null
  readonly signal: AbortSignal
  /** Called after the check. Returns the test crate to build, or null if nothing should be built. */
  next(check: Step): TestCrate | null
}

export interface Built {
  readonly check: Step
  /** The build of the solution with its tests. Null if nothing was built. */
  readonly build: Step | null
  readonly program: Buffer | null
  /** True if the sandbox's wall time ran out. */
  readonly late: boolean
}

export async function buildSolution(
  sandbox: Sandbox,
  toolchain: Toolchain,
  harness: string,
  request: Request,
): Promise<Built> {
  const { crates, signal, files } = request
  const names = Object.keys(files)
  const steps = [
    ...BEGINNING,
    'cd answer',
    ...names.map((name) => {
      const folder = name.includes('/')
        ? `mkdir -p ${quoted(`./${name.slice(0, name.lastIndexOf('/'))}`)}; `
        : ''
      return `${folder}head -c ${Buffer.byteLength(files[name] ?? '')} <&5 >${quoted(`./${name}`)}`
    }),
    request.folder === '.'
      ? ''
      : `mkdir -p ${quoted(`./${request.folder}`)}; cd ${quoted(`./${request.folder}`)}`,
    `export ${FOLDER}=$PWD`,
    `${checking(toolchain, request)} <&3 2>&3 >/dev/null; echo "ended $?" >&3`,
    'read go && [ "$go" ] || exit 0',
    // GCC, which links the program, looks for a linker of this name.
    ...(toolchain.lld === null ? [] : [`ln -s ${quoted(toolchain.lld)} $TMPDIR/ld.lld`]),
    // `$go` contains the random names of the test crate and its harness. They are sent only now. If they were sent
    // earlier, the solution could see them during the check.
    `${building(toolchain, request)} $go - <&4 2>&4 >/dev/null; code=$?; echo "ended $code" >&4`,
    '[ $code = 0 ] && cat $work/out/program >&5',
  ]
  const reads = [...toolchain.reads, harness, ...(crates?.reads ?? [])]
  const boxed = sandbox.start(shell(toolchain, steps.join('\n'), reads))
  const kill = (): void => void boxed.kill()
  signal.addEventListener('abort', kill, { once: true })
  try {
    const [first, second, third] = boxed.pipes
    if (first === undefined || second === undefined || third === undefined)
      throw new SandboxError('the sandbox gave no pipes')
    const started = gather(boxed.stdout, 1024)
    const complaints = gather(boxed.stderr, 4096)
    const checked = stepOf(first)
    const built = stepOf(second)
    const program = gather(third, LIMITS.fileBytes)
    for (const name of names) third.write(files[name] ?? '')
    first.end(request.root)
    const check = await checked
    const crate = check.code === null || signal.aborted ? null : request.next(check)
    if (crate === null) boxed.stdin.end('\n')
    else {
      boxed.stdin.end(`${naming(crate, harness).join(' ')}\n`)
      second.end(crate.text)
    }
    const { how, code } = await boxed.ended
    signal.throwIfAborted()
    if (!(await started).toString('utf8').startsWith('ready'))
      throw new SandboxError(
        `the Rust compiler's sandbox did not start (exit ${code}): ${(await complaints).toString('utf8').trim()}`,
      )
    const build = crate === null ? null : await built
    return {
      check,
      build,
      program: build?.code === 0 ? await program : null,
      late: how === 'wall',
    }
  } finally {
    signal.removeEventListener('abort', kill)
    await boxed.kill()
  }
}

/** Builds the harness, the library that tests are linked with. Returns the bytes of the file. */
export async function buildHarness(
  sandbox: Sandbox,
  toolchain: Toolchain,
  source: string,
): Promise<Buffer> {
  const flags = [...common(toolchain, EDITION), '--crate-type', 'rlib', '--crate-name', 'harness']
  const rustc = `${quoted(toolchain.rustc)} ${flags.map(quoted).join(' ')}`
  const script = [
    ...BEGINNING,
    `${rustc} -o $work/libharness.rlib - <&3 2>&3 && cat $work/libharness.rlib >&5`,
  ].join('\n')
  const boxed = sandbox.start(shell(toolchain, script, toolchain.reads))
  const [first, , third] = boxed.pipes
  if (first === undefined || third === undefined)
    throw new SandboxError('the sandbox gave no pipes')
  const [words, bytes, complaints] = [
    gather(first, 8192),
    gather(third, LIMITS.fileBytes),
    gather(boxed.stderr, 4096),
  ]
  boxed.stdout.resume()
  first.end(source)
  const { code } = await boxed.ended
  const library = await bytes
  if (code === 0 && library.length > 0) return library
  const said = `${(await complaints).toString('utf8')}\n${(await words).toString('utf8')}`.trim()
  throw new SandboxError(
    `the Rust compiler could not build Assay's test harness (exit ${code}): ${said}`,
  )
}

// ── Commands ─────────────────────────────────────────────────────────────────────────────────────────

export const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`

export function shell(toolchain: Toolchain, script: string, reads: readonly string[]): Program {
  return {
    argv: ['/bin/sh', '-c', script],
    reads,
    // Without CLIPPY_CONF_DIR, Clippy would search for settings in the answer's folder and above.
    env: { ...compilerEnv(toolchain), CLIPPY_CONF_DIR: '/' },
    ...limitedAs('rustCompiler'),
    pipes: 3,
    system: true,
    self: toolchain.rustc,
  }
}

/**
 * Returns the environment variables for the compiler. With `LD_LIBRARY_PATH`, the compiler finds its own libraries,
 * if the toolchain has them in its own folder (the sysroot).
 */
export function compilerEnv({ sysroot, reads }: Toolchain): Record<string, string> {
  const own = reads.includes(join(sysroot, 'lib')) ? { LD_LIBRARY_PATH: join(sysroot, 'lib') } : {}
  return { PATH: '/usr/bin:/bin', LC_ALL: 'C', ...own }
}

/**
 * The first lines of each shell script in the sandbox. They report that the script has started, and set `$work` to
 * its folder.
 */
export const BEGINNING = [
  ...['echo ready', 'work=$PWD', 'mkdir tmp out answer', 'export TMPDIR=$work/tmp'],
]

export const common = ({ sysroot }: Toolchain, edition: string): string[] => [
  ...['--sysroot', sysroot, '--edition', edition, '-C', 'debuginfo=0'],
]

/**
 * The flags for Clippy's lints. One lint is switched off: it was in `clippy::all` up to Rust 1.63, but is not in
 * later versions. Without it, all toolchains count the same lints.
 */
const LINTS = ['-W', 'clippy::all', '-A', 'clippy::derive_partial_eq_without_eq']

function checking(toolchain: Toolchain, { lint, allowUnsafe, crates, edition }: Request): string {
  const words = [
    ...common(toolchain, edition),
    ...[
      '--crate-type',
      'lib',
      '--crate-name',
      'solution',
      '--emit',
      'metadata',
      '--error-format',
      'json',
    ],
    ...(lint ? LINTS : []),
    ...(allowUnsafe ? [] : ['-F', 'unsafe_code']),
    ...(crates?.flags ?? []),
  ]
  const tool = quoted(lint ? toolchain.clippy : toolchain.rustc)
  return `${tool} ${words.map(quoted).join(' ')} --out-dir $work/out -`
}

/**
 * Returns the build command. Lints are off here, because the check has already reported them. The program is linked
 * dynamically with the standard library, which halves the linker's work. The build uses one codegen unit and one
 * linker thread, because that needs less processor time in total.
 */
function building(toolchain: Toolchain, { crates, edition }: Request): string {
  const { std } = toolchain
  const lld =
    toolchain.lld === null
      ? ''
      : '-C link-arg=-fuse-ld=lld -C link-arg=-B$TMPDIR -C link-arg=-Wl,--threads=1'
  const words = [
    ...common(toolchain, edition),
    ...['--crate-type', 'bin', '--error-format', 'json', '--cap-lints', 'allow'],
    ...['-C', 'codegen-units=1', '-C', `linker=${toolchain.linker}`],
    ...(std === null
      ? []
      : [
          '-C',
          'prefer-dynamic',
          '-C',
          `link-arg=-Wl,-rpath,${std.slice(0, std.lastIndexOf('/'))}`,
        ]),
    ...(crates?.flags ?? []),
  ]
  return `${quoted(toolchain.rustc)} ${words.map(quoted).join(' ')} ${lld} -o $work/out/program`
}

/**
 * Returns the flags that name the test crate. They need no quoting for the shell, because Assay generates all of
 * them.
 */
const naming = ({ name, harness, cfg }: TestCrate, library: string): string[] => [
  ...['--crate-name', name, '--cfg', cfg, '--extern', `${harness}=${library}`],
]

// ── Reading the output ───────────────────────────────────────────────────────────────────────────────

/** Reads a stream to its end. Bytes beyond `most` are read and dropped. */
export function gather(stream: Readable, most: number): Promise<Buffer> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let bytes = 0
    stream.on('data', (chunk: Buffer) => {
      if (bytes < most) chunks.push(chunk.subarray(0, most - bytes))
      bytes += chunk.length
    })
    stream.once('close', () => resolve(Buffer.concat(chunks)))
  })
}

/** Collects a compiler's output up to the line in which the shell script reports the compiler's exit code. */
function stepOf(stream: Readable): Promise<Step> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let bytes = 0
    let tail = ''
    stream.on('data', (chunk: Buffer) => {
      if (bytes < MOST_WORDS) chunks.push(chunk)
      bytes += chunk.length
      tail = (tail + chunk.toString('latin1')).slice(-64)
      const ended = /(?:^|\n)ended (\d+)\n$/u.exec(tail)
      if (ended !== null) resolve({ code: Number(ended[1]), words: wordsOf(chunks) })
    })
    stream.once('close', () => resolve({ code: null, words: wordsOf(chunks) }))
  })
}

const wordsOf = (chunks: readonly Buffer[]): string =>
  Buffer.concat(chunks)
    .toString('utf8')
    .replace(/(?:^|\n)ended \d+\n$/u, '')

/** Returns why a compiler ended without a result, or null if it gave one. */
export function breakdown(step: Step, late: boolean, rest: string): Fault | null {
  const seconds = LIMITS.cpuMs / 1000
  if (step.code === null && late)
    return {
      kind: 'timeout',
      text: `the compiler did not end within ${LIMITS.wallMs / 1000} s`,
    }
  if (step.code === 152 || step.code === 137)
    return { kind: 'timeout', text: `compiling it takes more than ${seconds} s of processor time` }
  if (/memory allocation of \d+ bytes failed|out of memory|bad_alloc/iu.test(rest))
    return {
      kind: 'memory',
      text: `compiling it takes more than ${LIMITS.memoryBytes / 2 ** 20} MB of memory`,
    }
  if (step.code === null || step.code >= 128)
    return {
      kind: 'crash',
      text: 'the compiler broke down on it, as it does on code that nests too deep',
      byCompiler: true,
    }
  return step.code === 101
    ? {
        kind: 'crash',
        text: 'the compiler itself failed on it (internal error)',
        byCompiler: true,
      }
    : null
}
