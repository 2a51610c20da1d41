/**
 * One sample through the compilers, in one start of the sandbox: first checked and linted alone, then, when
 * that went well, built together with the tests. Sources go in and words come out through pipes: what is
 * hidden is never a file that a compiler can be told to include, and the host opens no file that a sandbox
 * has made. The program that comes out goes to the host as bytes, to be run elsewhere, where there is no
 * compiler.
 */
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { limitedAs, PROFILES, SandboxError, type Program, type Sandbox } from '@assay/sandbox'
import type { Fault } from '../../../language.ts'
import type { TestCrate } from './crate.ts'
import type { Crates } from './crates.ts'
import { EDITION } from './edition.ts'
import { FOLDER } from './includes.ts'
import type { Toolchain } from './toolchain.ts'

/** What the compiler says beyond it is not read. */
const MOST_WORDS = 8 * 1024 * 1024

const LIMITS = PROFILES.rustCompiler

/** What a step of the compilers came to. */
export interface Step {
  /** The compiler's exit code; null where the sandbox ended before it did. */
  readonly code: number | null
  readonly words: string
}

export interface Request {
  /** The source of the root. */
  readonly root: string
  /** Other files, by path from the root's folder or above it. */
  readonly files: Readonly<Record<string, string>>
  /** The folder of the root among them. */
  readonly folder: string
  readonly lint: boolean
  readonly allowUnsafe: boolean
  readonly edition: string
  readonly crates: Crates | null
  readonly signal: AbortSignal
  /** Decides after the check whether to go on, and with what. */
  next(check: Step): TestCrate | null
}

export interface Built {
  readonly check: Step
  /** Null where it did not come to that. */
  readonly build: Step | null
  readonly program: Buffer | null
  /** The sandbox's wall time was over. */
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
    // Under the name by which the linker's driver looks for it.
    ...(toolchain.lld === null ? [] : [`ln -s ${quoted(toolchain.lld)} $TMPDIR/ld.lld`]),
    // The names of the harness come late, because they are the tests'.
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

/** The library that tests are built with, as a file's bytes. */
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

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`

function shell(toolchain: Toolchain, script: string, reads: readonly string[]): Program {
  return {
    argv: ['/bin/sh', '-c', script],
    reads,
    // The linter would look for settings in the answer's folder and above.
    env: { ...compilerEnv(toolchain), CLIPPY_CONF_DIR: '/' },
    ...limitedAs('rustCompiler'),
    pipes: 3,
    system: true,
    self: toolchain.rustc,
  }
}

/** Rust's own libraries are beside it; what it starts may have others beside itself. */
export function compilerEnv({ sysroot, reads }: Toolchain): Record<string, string> {
  const own = reads.includes(join(sysroot, 'lib')) ? { LD_LIBRARY_PATH: join(sysroot, 'lib') } : {}
  return { PATH: '/usr/bin:/bin', LC_ALL: 'C', ...own }
}

/** First lines of a script: it says that it runs, and `$work` is its folder. */
export const BEGINNING = [
  ...['echo ready', 'work=$PWD', 'mkdir tmp out answer', 'export TMPDIR=$work/tmp'],
]

const common = ({ sysroot }: Toolchain, edition: string): string[] => [
  ...['--sysroot', sysroot, '--edition', edition, '-C', 'debuginfo=0'],
]

/** One lint was among them up to Rust 1.63 and is not since: all toolchains are to count the same. */
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
 * Lints have had their say. The program uses the standard library as a shared one, which halves the linker's
 * work, and one unit of code and one thread of the linker, which is less work in all.
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

/** No word of these needs quoting: they are ours, and the shell takes them as words. */
const naming = ({ name, harness, cfg }: TestCrate, library: string): string[] => [
  ...['--crate-name', name, '--cfg', cfg, '--extern', `${harness}=${library}`],
]

// ── What comes back ──────────────────────────────────────────────────────────────────────────────────

/** Reads until the end; what is beyond `most` is read and dropped. */
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

/** A compiler's words, until the shell says how it ended. */
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

/** Why a compiler ended without a verdict; null where it gave one. */
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
    }
  return step.code === 101
    ? { kind: 'crash', text: 'the compiler itself failed on it (internal error)' }
    : null
}
