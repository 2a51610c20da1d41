/**
 * Grades all hostile programs of one language as one user, and records what was observed during that time.
 */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import type { Trial } from 'assay'
import { corpus, idOf } from './corpus.ts'
import type { Job, Told } from './grade-corpus.ts'
import type { Place } from './place.ts'
import type { Hostile, World } from './program.ts'
import { taskOf, type LanguageName } from './tasks.ts'
import { Watch } from './watch.ts'

export interface Session {
  readonly trials: ReadonlyMap<string, Trial>
  readonly counts: Readonly<Record<string, number>>
  /** The programs by case, without the honest answers. */
  readonly programs: ReadonlyMap<string, Hostile>
  readonly honest: readonly string[]
  /**
   * The marks of programs that were seen running, and those that were still running long after their trial.
   */
  readonly seen: number
  readonly outlived: readonly string[]
  readonly survivors: readonly string[]
  /** The number of processes that the grading process started in total. */
  readonly processes: number
  readonly stoodStillMs: number
  readonly folder: string
  /** Why the language cannot be graded on this machine. If set, nothing else was done. */
  readonly missing: string | null
}

export interface SessionOptions {
  readonly language: LanguageName
  /** The user who grades. The current user if absent. */
  readonly user?: number
  readonly env?: Readonly<Record<string, string>>
  readonly sandbox?: Job['sandbox']
  readonly only?: (program: Hostile) => boolean
}

/** Without a sandbox, these kinds only read what was planted and connect to the listeners. */
const HARMLESS = new Set([12, 13])
const GRADE_MS = 1000
const GONE_MS = 2000
const FENCES: Record<LanguageName, string> = {
  typescript: 'ts',
  javascript: 'js',
  python: 'python',
  rust: 'rust',
}

let sessions = 0

export async function holdSession(place: Place, options: SessionOptions): Promise<Session> {
  const { language, user, sandbox = 'bubblewrap' } = options
  const only = (program: Hostile): boolean =>
    (sandbox !== 'none' || HARMLESS.has(program.kind)) && options.only?.(program) !== false
  const folder = place.folderFor(`session-${++sessions}`, user)
  const suite = join(folder, 'suite.json')
  const stem = `z${randomBytes(3).toString('hex')}`
  const programs = new Map(
    corpus[language].filter(only).map((program) => [idOf(program), program] as const),
  )
  const marks = new Map([...programs.keys()].map((id, at) => [id, `${stem}${at}z`] as const))
  const answers: Record<string, string> = {}
  const cases: unknown[] = []
  const add = (id: string, program: Pick<Hostile, 'task' | 'beside'>, source: string): void => {
    answers[id] = `Here it is.\n\n\`\`\`\`${FENCES[language]}\n${source}\`\`\`\`\n`
    cases.push(caseOf(id, language, program, place.key))
  }
  const honest: string[] = []
  const addHonest = (when: string): void => {
    for (const task of ['sum', 'key', 'matched'] as const)
      for (const beside of language === 'rust' ? [{}] : [{}, { beside: true } as const]) {
        const id = `honest-${when}-${task}${'beside' in beside ? '-beside' : ''}`
        honest.push(id)
        add(id, { task, ...beside }, taskOf(language, task, place.key).honest)
      }
  }
  addHonest('once')
  for (const [id, program] of programs) {
    const world: World = {
      ...place.world,
      ...(sandbox === 'none' ? { system: [], beyond: [] } : {}),
      suite,
      mark: marks.get(id) ?? '',
    }
    add(id, program, program.source(world))
  }
  addHonest('again')
  writeFileSync(suite, JSON.stringify({ id: 'hostile', cases }))
  const job: Job = { suite, folder: join(folder, 'run'), sandbox, answers }
  writeFileSync(join(folder, 'job.json'), JSON.stringify(job))

  const child = spawn(
    place.node,
    [join(place.folder, 'test/hostile/grade-corpus.ts'), join(folder, 'job.json')],
    {
      cwd: folder,
      env: { ...place.env, TMPDIR: join(folder, 'tmp'), ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(user === undefined ? {} : { uid: user, gid: user }),
    },
  )
  let complaint = ''
  child.stderr.on('data', (chunk: Buffer) => {
    complaint = (complaint + chunk.toString('utf8')).slice(-4000)
  })
  const watch = new Watch(child.pid ?? -1, new RegExp(`${stem}\\d+z`, 'g'))
  const trials = new Map<string, Trial>()
  const endedAt = new Map<string, number>()
  let last: Extract<Told, { counts: unknown }> | null = null
  let missing: string | null = null
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const told = JSON.parse(line) as Told
      if ('missing' in told) missing = told.missing
      else if ('counts' in told) last = told
      else {
        trials.set(told.trial.case, told.trial)
        endedAt.set(told.trial.case, Date.now())
      }
    }
    // The programs of the last trials also get time to end.
    let survivors = watch.survivors(user)
    for (let left = 10; survivors.length > 0 && left > 0; left--) {
      await wait(GONE_MS / 10)
      survivors = watch.survivors(user)
    }
    if (last === null && missing === null) throw new Error(`the grading process died: ${complaint}`)
    return {
      trials,
      counts: last?.counts ?? {},
      programs,
      honest,
      seen: watch.lastSeen.size,
      outlived: [...marks]
        .filter(([id, mark]) => (watch.lastSeen.get(mark) ?? 0) > (endedAt.get(id) ?? 0) + GONE_MS)
        .map(([id]) => id),
      survivors,
      processes: watch.known,
      stoodStillMs: last?.stoodStillMs ?? 0,
      folder,
      missing,
    }
  } finally {
    watch.stop()
    child.kill('SIGKILL')
  }
}

function caseOf(
  id: string,
  language: LanguageName,
  { task, beside }: Pick<Hostile, 'task' | 'beside'>,
  key: string,
): unknown {
  const { entryPoint, tests } = taskOf(language, task, key)
  return {
    id,
    prompt: `Write and export the function ${entryPoint}.`,
    language,
    tests,
    entryPoint,
    graders: [
      {
        type: 'code',
        timeout: `${GRADE_MS}ms`,
        memoryMb: 256,
        ...(beside === true ? { integrity: 'in-process' } : {}),
      },
    ],
  }
}
