/**
 * Runs gradings in parallel, and again alone if needed. Parallel gradings compete for caches and memory, so a
 * solution near its time limit could fail because of others. A solution that exceeds its time in parallel is graded
 * once more with the machine to itself, and that result counts.
 */
import type { CodeReport, CodeWork, LanguageTools } from '../language.ts'

let running = 0
/** Counts started gradings, so that one that started alone can check whether it stayed alone. */
let begun = 0
let isHeld = false
const waiting: { readonly isAlone: boolean; readonly go: () => void }[] = []

const mayGo = (isAlone: boolean): boolean => !isHeld && (!isAlone || running === 0)

async function enter(isAlone: boolean): Promise<void> {
  // In order of arrival, so that none waits forever.
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
