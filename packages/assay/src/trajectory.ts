/**
 * What an agent did and what it left behind, as a trial keeps it: the part of the contracts (contract.ts,
 * which hands it on) that is about agents alone.
 */
import type { Json, Usage } from './contract.ts'

/**
 * One way of telling what any agent did, whatever its own stream of events looks like. Kept with the trial
 * as JSON; its shape changes only with a new version.
 */
export interface Trajectory {
  readonly version: 1
  /** Which stream it was read from: claude, codex, gemini, assay; `text` where there was none. */
  readonly format: string
  /** The agent's own version, where it tells. */
  readonly agentVersion: string | null
  readonly model: string | null
  /** In the order in which they began. */
  readonly steps: readonly Step[]
  /** By model; empty where the agent does not tell. */
  readonly usage: Readonly<Record<string, Usage>>
  readonly usd: number | null
  /** `reported` by the agent, or `priced` from the tokens. */
  readonly usdFrom: 'reported' | 'priced' | null
  /** Requests to the model that were answered. */
  readonly turns: number
  /** From the start to the first sign of the model. */
  readonly firstTokenMs: number | null
  readonly ms: number
  /** Whether the stream came to its own end; false for a torn one. */
  readonly complete: boolean
  /** Some of what was told is not here, for it was too much or too long: what is missing may be anything. */
  readonly lossy?: true
  /** What could not be read, for people; the raw stream has it. */
  readonly oddities: readonly string[]
}

interface StepHead {
  /** Milliseconds since the trial's start. */
  readonly at: number
  /** Which of the user's turns, from 0. */
  readonly turn: number
}

/** Tokens and cost of the request to the model that this step came from, on its first step. */
interface Spent {
  readonly usage?: Usage
  readonly usd?: number
}

export type Step =
  | (StepHead &
      Spent & {
        readonly kind: 'message'
        readonly role: 'user' | 'assistant' | 'system'
        readonly text: string
      })
  | (StepHead & Spent & { readonly kind: 'reasoning'; readonly text: string })
  | (StepHead &
      Spent & {
        readonly kind: 'tool-call'
        readonly id: string
        readonly name: string
        readonly args: Json
        /** Null where none came. */
        readonly result: string | null
        readonly failed: boolean
        /** Until its result; null where none came. */
        readonly ms: number | null
      })
  | (StepHead & {
      readonly kind: 'file-change'
      readonly path: string
      readonly change: 'added' | 'changed' | 'deleted'
    })
  | (StepHead & { readonly kind: 'skill'; readonly name: string })
  | (StepHead & { readonly kind: 'error'; readonly text: string })
  /** An event that is not understood, kept as it came. */
  | (StepHead & { readonly kind: 'other'; readonly type: string; readonly raw: string })

/** What is different between a workspace's start and its end, enough to make the end from the start. */
export interface WorkspaceDiff {
  readonly version: 1
  /** In order of their paths. */
  readonly changes: readonly FileChange[]
  /**
   * What was added, or took a file's place, and cannot be kept: pipes and devices, names that are no UTF-8,
   * paths that are too long. Its paths in order, each as near as text can be; a folder stands for all in it.
   */
  readonly unkept?: readonly string[]
  /** The first of these with why, for people. */
  readonly oddities?: readonly string[]
}

export interface FileChange {
  /** Relative, with forward slashes. */
  readonly path: string
  readonly change: 'added' | 'changed' | 'deleted'
  /** As git writes them: 100644, 100755, 120000 for a link. Absent where there was, or is, no file. */
  readonly modeBefore?: FileMode
  readonly mode?: FileMode
  /** What the file holds now, where that is UTF-8; a link's target. Absent where deleted. */
  readonly text?: string
  /** What it holds now, where that is no UTF-8. */
  readonly base64?: string
  /** The change in unified form, hunks only; absent where one side is no text, or it is too large to show. */
  readonly patch?: string
}

export type FileMode = '100644' | '100755' | '120000'

/** The agent left more behind than is kept: the trial fails, at a limit. */
export class WorkspaceTooLarge extends Error {
  override readonly name = 'WorkspaceTooLarge'
}
