/**
 * The host side of the analyzer. It runs a few servers and sends each request to the least busy one. If a server
 * crashes or exceeds the deadline on a source, a trivial source is sent as a check. If that one works, the first
 * source is at fault and counts as not compiling.
 */
import { availableParallelism } from 'node:os'
import { SandboxError, type Sandbox } from '@assay/sandbox'
import { SandboxServer, ServerDied } from '../../../server.ts'
import { TestsFault } from '../../../fault/tests-fault.ts'
import type {
  AnalyzerReply,
  AnalyzerRequest,
  PreparedSolution,
  PreparedTests,
} from '../sandboxed/analyze/prepared.ts'
import { analyzerProgram } from './programs.ts'

/**
 * The time limit of a check. Most sources take a few milliseconds, but a type can be written so that checking it
 * never ends.
 */
const CHECK_MS = 10_000
const MOST_REQUESTS = 3000
/** The most servers. A quarter of the cores is enough, because checking is about a tenth of the work on a solution. */
const MOST_SERVERS = Math.ceil(availableParallelism() / 4)

type SampleRequest = Extract<AnalyzerRequest, { kind: 'solution' }>
type TestsRequest = Extract<AnalyzerRequest, { kind: 'tests' }>

const TRIVIAL: SampleRequest = {
  kind: 'solution',
  files: { 'trivial.ts': 'export const one: number = 1' },
  main: 'trivial.ts',
  support: {},
  lint: true,
  define: false,
  script: false,
  declared: [],
}

export class Analyzers {
  readonly #sandbox: Sandbox
  readonly #servers = new Map<string | null, SandboxServer[]>()

  constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox
  }

  start(): void {
    this.#server(null).start()
  }

  async sample(request: SampleRequest, packages: string | null): Promise<PreparedSolution> {
    try {
      return await this.#ask(request, packages)
    } catch (error) {
      if (!(error instanceof ServerDied)) throw error
      return this.#blamed(request, packages, error)
    }
  }

  async tests(request: TestsRequest): Promise<PreparedTests> {
    let reply: AnalyzerReply
    try {
      reply = (await this.#server(null).ask(request, CHECK_MS)) as AnalyzerReply
    } catch (error) {
      if (!(error instanceof ServerDied)) throw error
      throw new SandboxError(`the tests of the case are at fault, the parser ${error.message}`, {
        cause: error,
      })
    }
    if (reply.kind === 'tests') return reply.tests
    if (reply.kind === 'bad-tests') throw new TestsFault(reply.message)
    throw new SandboxError('the tests cannot be read: no answer')
  }

  async close(): Promise<void> {
    await Promise.all([...this.#servers.values()].flat().map((server) => server.close()))
  }

  /** Returns the result for a source if the server ended while it checked that source. */
  async #blamed(
    request: SampleRequest,
    packages: string | null,
    died: ServerDied,
  ): Promise<PreparedSolution> {
    try {
      await this.#ask(TRIVIAL, packages)
    } catch (error) {
      throw new SandboxError(`the checker does not work: ${died.message}`, { cause: error })
    }
    if (request.lint && died.how === 'crash') {
      // The linter may be the cause of the failure, so try again without it.
      const without = await this.#ask({ ...request, lint: false }, packages).catch(() => null)
      if (without !== null)
        return { ...without, warnings: [fault(request.main, 'the linter crashed on it')] }
    }
    const message =
      died.how === 'timeout'
        ? `checking it took longer than ${CHECK_MS / 1000} s`
        : 'the checker crashed on it'
    return { errors: [fault(request.main, message)], warnings: null, defined: null, files: {} }
  }

  async #ask(request: SampleRequest, packages: string | null): Promise<PreparedSolution> {
    const reply = (await this.#server(packages).ask(request, CHECK_MS)) as AnalyzerReply
    if (reply.kind !== 'solution') throw new SandboxError('the checker gave no answer')
    return reply.sample
  }

  #server(packages: string | null): SandboxServer {
    const servers = this.#servers.get(packages) ?? []
    this.#servers.set(packages, servers)
    const idle = servers.toSorted((a, b) => a.load - b.load)[0]
    if (idle !== undefined && (idle.load === 0 || servers.length >= MOST_SERVERS)) return idle
    const server = new SandboxServer(this.#sandbox, () => analyzerProgram(packages), MOST_REQUESTS)
    servers.push(server)
    return server
  }
}

const fault = (
  file: string,
  message: string,
): { file: string; line: number; column: number; code: null; message: string } => ({
  file,
  line: 1,
  column: 1,
  code: null,
  message,
})
