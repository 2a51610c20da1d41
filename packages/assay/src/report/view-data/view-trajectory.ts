/**
 * Converts an agent's trajectory and changes to the form that the viewer shows: first every step, then the changes file
 * by file. The texts of all steps of a trial together have a size limit. To stay within it, each text is cut to the
 * same maximum length. If there are too many steps for a page, steps in the middle are left out, because the beginning
 * and the end are the most informative.
 */
import type { FileChange, Step, Trajectory, Trial, WorkspaceDiff } from '@assay/contract'
import { isClaimed, requestWords, withRequests, type RequestStep } from './request-steps.ts'
import { changeNotes, gistOf, linesOf } from './step-words.ts'
import type { ReportSource } from '../formats/format.ts'
import { isMissing, jsonOf, readDiff, readTrajectory } from './read-trajectory.ts'
import type {
  ViewActs,
  ViewChange,
  ViewDiff,
  ViewStep,
  ViewText,
  ViewTrajectory,
} from './view-data.ts'
import { cutText, MOST_NAME } from './view-trial.ts'

const MOST_STEPS = 2000
/** How many of the last steps are kept if there are more than `MOST_STEPS` steps. */
const LAST_STEPS = 500
/**
 * The maximum number of characters of all steps of a trial together. Each text is cut to the first length in
 * `STEP_TEXT` with which all texts fit.
 */
const MOST_STEP_TEXTS = 150_000
const STEP_TEXT = [4000, 2000, 1000, 500, 250, 100, 40]
const MOST_ODDITIES = 20
const MOST_MODELS = 50
const MOST_CHANGES = 300
const MOST_PATCH = 20_000
const MOST_PATCHES = 80_000

/** Returns the trajectory and the diff of a trial, or an empty object if it has neither. */
export function viewActs(trial: Trial, fetch: ReportSource['text']): ViewActs {
  const trajectory = readTrajectory(trial, fetch)
  const diff = readDiff(trial, fetch)
  return {
    ...(trajectory !== null && {
      trajectory: isMissing(trajectory) ? trajectory : viewTrajectory(trajectory),
    }),
    ...(diff !== null && { diff: isMissing(diff) ? diff : viewDiff(diff) }),
  }
}

export function viewTrajectory(trajectory: Trajectory): ViewTrajectory {
  const { version: _, steps: told, usage, oddities, requests = [], ...rest } = trajectory
  const all = withRequests(told, requests)
  const over = all.length - MOST_STEPS
  const after = MOST_STEPS - LAST_STEPS
  const steps = over > 0 ? [...all.slice(0, after), ...all.slice(-LAST_STEPS)] : all
  const texts = steps.map(textsOf)
  const most = fairLimit(texts.flat().map(({ length }) => length))
  const calls = told.filter((step) => step.kind === 'tool-call').filter((step) => !isClaimed(step))
  return {
    ...rest,
    usage: Object.entries(usage)
      .slice(0, MOST_MODELS)
      .map(([model, tokens]) => ({ model: name(model), tokens })),
    toolCalls: calls.length,
    failedCalls: calls.filter(({ failed }) => failed).length,
    oddities: oddities.slice(0, MOST_ODDITIES).map(name),
    steps: steps.map((step) => viewStep(step, (text) => cutString(text, most))),
    gap: over > 0 ? { after, steps: over } : null,
  }
}

const fairLimit = (lengths: readonly number[]): number =>
  STEP_TEXT.find(
    (most) => lengths.reduce((sum, length) => sum + Math.min(length, most), 0) <= MOST_STEP_TEXTS,
  ) ?? Math.min(...STEP_TEXT)

function textsOf(step: Step | RequestStep): string[] {
  if (step.kind === 'tool-call') return [jsonOf(step.args, 2), step.result ?? '']
  if (step.kind === 'other') return [step.raw]
  return 'text' in step ? [step.text] : []
}

function viewStep(step: Step | RequestStep, take: (text: string) => ViewText): ViewStep {
  const head = {
    at: Math.round(step.at),
    turn: step.turn,
    ...('usage' in step && step.usage !== null && { usage: step.usage }),
    ...('usd' in step && step.usd !== null && { usd: step.usd }),
    ...(isClaimed(step) && { claimed: true as const }),
  }
  switch (step.kind) {
    case 'message':
      return { ...head, kind: step.kind, role: step.role, text: take(step.text) }
    case 'tool-call':
      return {
        ...head,
        kind: step.kind,
        name: name(step.name),
        gist: gistOf(step.args),
        args: take(jsonOf(step.args, 2)),
        result: step.result === null ? null : take(step.result),
        ...(step.failed && { failed: true }),
        ms: step.ms === null ? null : Math.round(step.ms),
      }
    case 'request':
      return {
        ...head,
        kind: step.kind,
        gist: requestWords(step),
        ms: Math.round(step.ms),
        ...(step.error !== undefined && { failed: true }),
      }
    case 'file-change':
      return { ...head, kind: step.kind, path: name(step.path), change: step.change }
    case 'skill':
      return { ...head, kind: step.kind, name: name(step.name) }
    case 'other':
      return { ...head, kind: step.kind, type: name(step.type), raw: take(step.raw) }
    default:
      return { ...head, kind: step.kind, text: take(step.text) }
  }
}

export function viewDiff(diff: WorkspaceDiff): ViewDiff {
  const { changes, unkept = [], oddities = [] } = diff
  let room = MOST_PATCHES
  const take = (patch: string): ViewText => {
    const taken = cutString(patch, Math.min(MOST_PATCH, room))
    room -= typeof taken === 'string' ? taken.length : taken.text.length
    return taken
  }
  return {
    changes: changes.slice(0, MOST_CHANGES).map((change) => viewChange(change, take)),
    changesLeftOut: Math.max(0, changes.length - MOST_CHANGES),
    ...othersIn(diff),
    ...(unkept.length > 0 && {
      unkept: {
        count: unkept.length,
        oddities: oddities.slice(0, MOST_ODDITIES).map(name),
      },
    }),
  }
}

function othersIn({ folders = [], permissions = {} }: WorkspaceDiff): Pick<ViewDiff, 'others'> {
  const set = Object.entries(permissions)
  if (folders.length + set.length === 0) return {}
  const left = (all: readonly unknown[]): number => Math.max(0, all.length - MOST_CHANGES)
  return {
    others: {
      folders: folders
        .slice(0, MOST_CHANGES)
        .map(({ path, change }) => ({ path: name(path), change })),
      permissions: set
        .slice(0, MOST_CHANGES)
        .map(([path, bits]) => ({ path: name(path), bits: bits.slice(0, 10) })),
      leftOut: left(folders) + left(set),
    },
  }
}

function viewChange(change: FileChange, take: (patch: string) => ViewText): ViewChange {
  const { patch = '' } = change
  return {
    path: name(change.path),
    change: change.change,
    lines: linesOf(patch),
    notes: changeNotes(change),
    ...(patch !== '' && { patch: take(patch) }),
  }
}

const name = (text: string): string => text.slice(0, MOST_NAME)

const cutString = (text: string, most: number): ViewText =>
  cutText(text, (whole, first) => (typeof whole === 'string' ? whole.slice(0, first) : null), most)
