/** Searches all texts of the steps of a trajectory, including texts of folded steps. */
import type { ViewStep, ViewText } from './data/source.ts'

/** Returns a pattern that matches a text literally, ignoring case. Null if there is nothing to search for. */
export function patternOf(words: string): RegExp | null {
  const wanted = words.trim()
  return wanted === '' ? null : new RegExp(wanted.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'), 'gi')
}

/**
 * Says where a step matches: in the texts that are hidden while the step is folded ('inside'), only in the
 * summary line ('outside'), or not at all ('not').
 */
export function findIn(step: ViewStep, pattern: RegExp): 'not' | 'outside' | 'inside' {
  const has = (text: string): boolean => text.search(pattern) !== -1
  if (insideOf(step).some(has)) return 'inside'
  return outsideOf(step).some(has) ? 'outside' : 'not'
}

const stringOf = (text: ViewText): string => (typeof text === 'string' ? text : text.text)

function insideOf(step: ViewStep): string[] {
  if (step.kind === 'tool-call')
    return [stringOf(step.args), ...(step.result === null ? [] : [stringOf(step.result)])]
  if (step.kind === 'other') return [stringOf(step.raw)]
  return 'text' in step ? [stringOf(step.text)] : []
}

function outsideOf(step: ViewStep): string[] {
  const more: readonly string[] = 'failed' in step ? ['failed'] : []
  return [labelOf(step), gistOf(step), ...more]
}

/** Returns a short label for a step, such as the role of the speaker or the name of the tool. */
export function labelOf(step: ViewStep): string {
  if (step.kind === 'message') return step.role
  if (step.kind === 'tool-call') return step.name === '' ? 'a tool without a name' : step.name
  if (step.kind === 'file-change') return `file ${step.change}`
  if (step.kind === 'request') return 'to the model'
  return step.kind === 'other' ? 'unknown' : step.kind
}

const MOST_GIST = 200

/** Returns a one-line summary of a step. */
export function gistOf(step: ViewStep): string {
  switch (step.kind) {
    case 'tool-call':
    case 'request':
      return step.gist
    case 'file-change':
      return step.path
    case 'skill':
      return step.name
    case 'other':
      return step.type
    default:
      return stringOf(step.text).slice(0, MOST_GIST).trim()
  }
}
