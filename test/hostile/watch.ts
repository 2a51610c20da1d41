/**
 * Watches the process list of the machine while hostile programs are graded: which processes descend from the
 * grading process, which have the mark of a program, and when each was last seen.
 */
import { readdirSync, readFileSync } from 'node:fs'

const EVERY_MS = 200

interface Seen {
  readonly parent: number
  /** Distinguishes a process from a later one with the same number. */
  readonly started: string
  readonly user: number
}

export class Watch {
  /** Returns when a process or thread with this mark was last seen. */
  readonly lastSeen = new Map<string, number>()
  readonly #root: number
  readonly #marks: RegExp
  /** All processes that ever descended from the root. */
  readonly #ours = new Map<number, string>()
  readonly #timer: NodeJS.Timeout

  constructor(root: number, marks: RegExp) {
    this.#root = root
    this.#marks = marks
    this.#timer = setInterval(() => this.look(), EVERY_MS)
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  /** Returns how many processes were seen in total. */
  get known(): number {
    return this.#ours.size
  }

  look(): void {
    const now = Date.now()
    const all = processes()
    for (const [pid, { started }] of all) {
      if (this.#ours.get(pid) === started) continue
      for (let at = pid, steps = 0; at > 1 && steps < 100; at = all.get(at)?.parent ?? 0, steps++)
        if (at === this.#root) {
          this.#ours.set(pid, started)
          break
        }
    }
    for (const [pid, started] of this.#ours)
      if (all.get(pid)?.started === started)
        for (const name of namesOf(pid))
          for (const [mark] of name.matchAll(this.#marks)) this.lastSeen.set(mark, now)
  }

  /** Returns our processes that are still running, and all processes of that user. */
  survivors(user: number | undefined): string[] {
    this.look()
    const all = processes()
    return [...all]
      .filter(([pid, { started, user: own }]) => this.#ours.get(pid) === started || own === user)
      .map(([pid]) => `${pid} ${namesOf(pid).join(' ')}`)
  }
}

function processes(): Map<number, Seen> {
  const found = new Map<number, Seen>()
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const stat = text(`/proc/${name}/stat`)
    // The name is in brackets. It may itself contain brackets and blanks.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const [state, parent = '0'] = fields
    if (stat === '' || state === 'Z' || state === 'X') continue
    const user = Number(/^Uid:\s+(\d+)/m.exec(text(`/proc/${name}/status`))?.[1] ?? -1)
    found.set(Number(name), { parent: Number(parent), started: fields[19] ?? '', user })
  }
  return found
}

/** Returns the command line and the names of all threads. */
function namesOf(pid: number): string[] {
  let threads: string[] = []
  try {
    threads = readdirSync(`/proc/${pid}/task`)
  } catch {
    return []
  }
  return [
    text(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').slice(0, 4000),
    ...threads.slice(0, 200).map((one) => text(`/proc/${pid}/task/${one}/comm`).trim()),
  ]
}

function text(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
