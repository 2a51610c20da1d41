/**
 * The language Python. Each solution runs in a fork: a copy of an interpreter that has already loaded common modules.
 * Hidden tests run in forks of another interpreter, in another sandbox, and call the solution remotely. Tests for
 * which that is not possible run in the solution's process. Ruff is the linter.
 */
import { SandboxError, type Sandbox } from '@assay/sandbox'
import type { Language, LanguageTools } from '../../language.ts'
import { assess, type Tools } from './host/assess.ts'
import { Inventories } from './host/in-process.ts'
import { findInterpreter, isTooOld, OLDEST, type Interpreter } from './host/interpreter.ts'
import { Linters, ruffVersion } from './host/lint.ts'
import { faulty } from './faulty.ts'
import { look } from './host/look.ts'
import { PythonServers } from './host/servers.ts'
import { standIn } from './host/stand-in.ts'
import { missingPackages } from './host/vendored.ts'
import { pythonSource } from './host/source/source-reader.ts'

export const python: Language = {
  name: 'python',
  fences: ['python', 'py', 'python3', 'py3', 'pycon'],
  main: 'solution.py',
  endings: ['.py'],
  source: pythonSource,
  callsFault: null,
  caseKeys: [],
  vendorFolder: 'python',
  isolated: true,
  control: {
    solution: 'def seven():\n    return 7\n',
    tests: 'from solution import seven\n\nassert seven() == 7\n',
  },
  look,
  standIn,
  faulty,

  async inspect() {
    const found = await findInterpreter()
    const isUsable = found !== null && !isTooOld(found)
    const ruff = ruffVersion()
    return [
      {
        name: 'python3',
        version: found?.version ?? null,
        ...(isUsable
          ? {}
          : {
              how: `Install Python ${OLDEST.join('.')} or newer (Debian, Ubuntu: apt install python3).`,
            }),
      },
      { name: 'ruff', version: ruff, ...(ruff === null ? { how: 'Run npm ci.' } : {}) },
    ]
  },

  async missing(dependencies, vendor) {
    return missingPackages(dependencies, vendor)
  },

  open: (sandbox) => openPython(sandbox),
}

/**
 * Replacements for tests. `filter: false` lets solutions start processes. `interpreter` replaces the interpreter that
 * Assay would find.
 */
export interface Replaced {
  readonly filter?: boolean
  readonly interpreter?: Interpreter
}

export function openPython(sandbox: Sandbox, replaced: Replaced = {}): LanguageTools {
  const linters = new Linters(sandbox)
  let opened: Promise<Tools> | undefined

  async function open(): Promise<Tools> {
    const interpreter = replaced.interpreter ?? (await findInterpreter())
    if (interpreter === null) throw new SandboxError('there is no python3 on this machine')
    const servers = new PythonServers(sandbox, interpreter)
    const testers = servers.single({ role: 'tester', packages: null, scratch: false, warm: [] })
    const inventories = new Inventories(testers)
    return { interpreter, servers, inventories, linters, filter: replaced.filter ?? true }
  }

  async function startAll(): Promise<void> {
    try {
      opened ??= open()
      const { servers } = await opened
      linters.start()
      servers.start()
    } catch {
      // A failure is ignored here. The first solution starts the servers again and reports the failure.
    }
  }

  return {
    start: () => void startAll(),
    async assess(work) {
      work.signal.throwIfAborted()
      opened ??= open()
      return assess(work, await opened)
    },
    async close() {
      const servers = await opened?.then(
        (tools) => tools.servers,
        () => null,
      )
      await Promise.all([linters.close(), servers?.close()])
    },
  }
}
