/**
 * Masks the secrets in an answer before it is written. Graders get the unmasked answer. A program that later grades the
 * answer from the disk must know which parts masking changed, because those parts could then get another grade.
 */
import type { Answer, FileChange, Step, Trajectory, WorkspaceDiff } from '@assay/contract'
import { maskedJson, maskedKeys } from './masked-json.ts'
import { maskedStream } from './masked-stream.ts'
import { maskedTraffic } from './masked-traffic.ts'
import { makeRedactor, type Redact, type Redactor } from './redact.ts'

/** The parts of an answer that graders get. */
export type MaskedPart = 'answer' | 'files' | 'trajectory' | 'diff' | 'messages'

export interface MaskedAnswer {
  readonly answer: Answer
  /** The parts that masking changed. */
  readonly masked: readonly MaskedPart[]
}

export function maskedAnswer(answer: Answer, secrets: readonly string[]): MaskedAnswer {
  const redactor = makeRedactor(secrets)
  const { files, note, trajectory, stream, diff, messages, log, traffic } = answer
  const masked: MaskedPart[] = []
  /** Masks one part, and adds its name to `masked` if masking changed the part. */
  const part = <T>(name: MaskedPart, mask: (watched: Redactor) => T): T => {
    let isChanged = false
    const watch = (before: string, after: string): string => {
      isChanged ||= before !== after
      return after
    }
    const result = mask({
      text: (text) => watch(text, redactor.text(text)),
      pieces: (texts) => redactor.pieces(texts).map((after, i) => watch(texts[i] as string, after)),
      bytes: (base64) => watch(base64, redactor.bytes(base64)),
    })
    if (isChanged) masked.push(name)
    return result
  }
  const clean: Answer = {
    ...answer,
    text: part('answer', ({ text }) => text(answer.text)),
    ...(note === undefined ? {} : { note: redactor.text(note) }),
    ...(files === undefined
      ? {}
      : { files: part('files', ({ text }) => maskedFiles(files, text)) }),
    ...(trajectory === undefined
      ? {}
      : { trajectory: part('trajectory', (watched) => maskedTrajectory(trajectory, watched)) }),
    ...(stream === undefined ? {} : { stream: maskedStream(stream, redactor) }),
    ...(log === undefined ? {} : { log: redactor.text(log) }),
    ...(traffic === undefined ? {} : { traffic: maskedTraffic(traffic, redactor) }),
    ...(messages === undefined
      ? {}
      : {
          messages: part('messages', ({ text }) =>
            messages.map(({ role, content }) => ({ role, content: text(content) })),
          ),
        }),
    ...(diff === undefined ? {} : { diff: part('diff', (watched) => maskedDiff(diff, watched)) }),
  }
  return { answer: clean, masked }
}

const maskedFiles = (
  files: Readonly<Record<string, string>>,
  redact: Redact,
): Record<string, string> =>
  Object.fromEntries(
    maskedKeys(
      Object.entries(files).map(([path, text]) => [path, redact(text)] as const),
      redact,
    ),
  )

// ── Trajectory (the agent's steps) ───────────────────────────────────────────────────────────────────

function maskedTrajectory(trajectory: Trajectory, redactor: Redactor): Trajectory {
  const { agentVersion, model, steps, usage, oddities, requests } = trajectory
  const { text: redact } = redactor
  return {
    ...trajectory,
    agentVersion: agentVersion === null ? null : redact(agentVersion),
    model: model === null ? null : redact(model),
    steps: maskedWords(steps, redactor).map((step) => maskedStep(step, redact)),
    usage: Object.fromEntries(maskedKeys(Object.entries(usage), redact)),
    oddities: oddities.map(redact),
    ...(requests === undefined
      ? {}
      : {
          requests: requests.map((one) => ({
            ...one,
            model: redact(one.model),
            ...(one.error === undefined ? {} : { error: redact(one.error) }),
          })),
        }),
  }
}

/**
 * Masks messages and reasoning. A message may be split over several steps. So the texts of consecutive steps
 * of one speaker are masked together, and a secret that is split over them is found.
 */
function maskedWords(steps: readonly Step[], { pieces }: Redactor): Step[] {
  const result: Step[] = [...steps]
  let said: number[] = []
  const flush = (): void => {
    const masked = pieces(said.map((at) => textOf(steps[at])))
    for (const [i, at] of said.entries()) result[at] = { ...steps[at], text: masked[i] } as Step
    said = []
  }
  for (const [at, step] of steps.entries()) {
    const before = steps[at - 1]
    if (before === undefined || voiceOf(before) !== voiceOf(step)) flush()
    if (voiceOf(step) !== null) said.push(at)
  }
  flush()
  return result
}

const textOf = (step: Step | undefined): string =>
  step !== undefined && 'text' in step ? step.text : ''

const voiceOf = (step: Step): string | null =>
  step.kind === 'message' ? step.role : step.kind === 'reasoning' ? 'reasoning' : null

function maskedStep(step: Step, redact: Redact): Step {
  if (step.kind === 'tool-call')
    return {
      ...step,
      id: redact(step.id),
      name: redact(step.name),
      args: maskedJson(step.args, redact),
      result: step.result === null ? null : redact(step.result),
    }
  if (step.kind === 'file-change') return { ...step, path: redact(step.path) }
  if (step.kind === 'skill') return { ...step, name: redact(step.name) }
  if (step.kind === 'other') return { ...step, type: redact(step.type), raw: redact(step.raw) }
  return { ...step, text: redact(step.text) }
}

// ── Diff (the files that the agent changed) ──────────────────────────────────────────────────────────

function maskedDiff(diff: WorkspaceDiff, redactor: Redactor): WorkspaceDiff {
  const { changes, folders, permissions, unkept, oddities } = diff
  const { text: redact } = redactor
  return {
    ...diff,
    changes: changes.map((change) => maskedChange(change, redactor)),
    ...(folders === undefined
      ? {}
      : { folders: folders.map((one) => ({ ...one, path: redact(one.path) })) }),
    ...(permissions === undefined
      ? {}
      : {
          permissions: Object.fromEntries(
            Object.entries(permissions).map(([path, bits]) => [redact(path), bits]),
          ),
        }),
    ...(unkept === undefined ? {} : { unkept: unkept.map(redact) }),
    ...(oddities === undefined ? {} : { oddities: oddities.map(redact) }),
  }
}

function maskedChange(change: FileChange, { text: redact, bytes }: Redactor): FileChange {
  const { path, text, patch, base64 } = change
  return {
    ...change,
    path: redact(path),
    ...(text === undefined ? {} : { text: redact(text) }),
    ...(patch === undefined ? {} : { patch: redact(patch) }),
    ...(base64 === undefined ? {} : { base64: bytes(base64) }),
  }
}
