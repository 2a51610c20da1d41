/**
 * Gradings beside each other, and again alone: a machine that does other gradings gives a solution less of its caches
 * and its memory, so a solution near its limit could fail for its neighbours. Whoever runs out of time in company is
 * graded once more with the machine to itself, and that decides.
 */
import type { CodeReport, CodeWork, LanguageTools } from '../language.ts'

let running = 0
/** Counts beginnings, so that one who began alone can tell whether that lasted. */
let begun = 0
let isHeld = false
const waiting: { readonly isAlone: boolean; readonly go: () => void }[] = []

const mayGo = (isAlone: boolean): boolean => !isHeld && (!isAlone || running === 0)

async function enter(isAlone: boolean): Promise<void> {
  // In order of arrival, so that nobody waits for ever.
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

export async function assessFairly(tools: LanguageTools, work: CodeWork): Promise<CodeReport> {
  let hadCompany = false
  const report = await within(false, async () => {
    const before = begun
    const atFirst = running
    const found = await tools.assess(work)
    hadCompany = atFirst > 1 || begun > before
    return found
  })
  const { fault } = report
  if (!hadCompany || fault?.kind !== 'timeout' || fault.idle === true) return report
  return within(true, () => tools.assess(work))
}
