/**
 * Schedules gradings. Gradings normally run at the same time. A grading that may have failed because of the others is
 * run again, alone: it starts when all running gradings have ended, and new gradings wait until it has ended.
 */

let running = 0
/** Counts started gradings, so that a grading can check whether another one started while it ran. */
let begun = 0
let isHeld = false
const waiting: { readonly isAlone: boolean; readonly go: () => void }[] = []

const mayGo = (isAlone: boolean): boolean => !isHeld && (!isAlone || running === 0)

async function enter(isAlone: boolean): Promise<void> {
  // Gradings start in the order in which they arrive. Otherwise, one that must run alone could wait forever.
  if (waiting.length > 0 || !mayGo(isAlone))
    await new Promise<void>((go) => {
      waiting.push({ isAlone, go })
    })
  else begin(isAlone)
}

function begin(isAlone: boolean): void {
  running++
  begun++
  isHeld = isAlone
}

function leave(): void {
  running--
  isHeld = false
  for (let next = waiting[0]; next !== undefined && mayGo(next.isAlone); next = waiting[0]) {
    waiting.shift()
    begin(next.isAlone)
    next.go()
  }
}

async function within<T>(isAlone: boolean, work: () => Promise<T>): Promise<T> {
  await enter(isAlone)
  try {
    return await work()
  } finally {
    leave()
  }
}

/**
 * Runs a grading while other gradings may run. `hadCompany` returns whether another grading has run at the same time
 * so far.
 */
export function inCompany<T>(work: (hadCompany: () => boolean) => Promise<T>): Promise<T> {
  return within(false, () => {
    const before = begun
    const atFirst = running
    return work(() => atFirst > 1 || begun > before)
  })
}

/** Runs a grading while no other grading runs. */
export const alone = <T>(work: () => Promise<T>): Promise<T> => within(true, work)
