/** Makes the answer of a trial from the agent's text, its trajectory, its usage and the diff of its workspace. */
import {
  SubjectError,
  WorkspaceTooLarge,
  type Answer,
  type Network,
  type WorkspaceDiff,
} from '@assay/contract'
import type { Gate } from '../gate.ts'
import type { Stopped } from '../stopped.ts'
import { withEvidence } from '../trajectory/with-evidence.ts'
import type { AgentTrial } from './agent-trial.ts'

/** Describes the network of a trial for the record. */
const networkWords = (network: Network): string =>
  typeof network === 'string' ? network : network.join(', ')

export async function agentAnswer(trial: AgentTrial, { stop, note }: Stopped): Promise<Answer> {
  const { builder, figures, limits } = trial
  const { network } = trial.workspace
  if (limits !== null && limits.usd !== null && figures.usd === null)
    builder.odd(
      figures.atLeastUsd === 0
        ? 'the limit on cost could not be held: what the agent cost is not known'
        : 'the limit on cost was held against the part of the cost that is known',
    )
  const gate = trial.seenBy
  const claimed = gate?.compare(builder) ?? null
  if (trial.gate !== null && gate === null && (builder.usage ?? builder.usd) !== null)
    builder.odd('the agent asked nothing through the gateway, so its figures are its own claims')
  const { kind, settings } = trial.driven
  const { folder } = trial.workspace
  const built = builder.build(trial.reader.format ?? kind.name)
  const trajectory = gate === null ? built : withEvidence(built, gate, { kind, settings, folder })
  const diff = await diffOf(trial)
  const isTooLarge = diff instanceof WorkspaceTooLarge
  const said = [note, isTooLarge ? diff.message : undefined].filter((one) => one !== undefined)
  return {
    text: builder.answerText.toWellFormed(),
    stop: isTooLarge && stop === 'end' ? 'limit' : stop,
    ...(said.length === 0 ? {} : { note: trial.redact(said.join('; ')) }),
    usage: figures.usage,
    usd: figures.usd,
    ...(figures.usd === null ? { spentUsd: figures.atLeastUsd } : {}),
    ...claimed,
    ...(gate === null || gate.traffic === null ? {} : { traffic: gate.traffic }),
    ...remarksOf(gate),
    ...(network === undefined ? {} : { network: networkWords(network) }),
    ms: trajectory.ms,
    trajectory,
    stream: trial.stream.map((line) => `${line}\n`).join(''),
    ...(isTooLarge || diff === null ? {} : { diff }),
  }
}

async function diffOf(trial: AgentTrial): Promise<WorkspaceDiff | WorkspaceTooLarge | null> {
  try {
    return await trial.workspace.diff()
  } catch (error) {
    if (error instanceof WorkspaceTooLarge) return error
    const { usage, usd, atLeastUsd: spentUsd } = trial.figures
    throw new SubjectError(`what ${trial.driven.id} left could not be read: ${String(error)}`, {
      reason: 'workspace-failed',
      retry: false,
      usage,
      usd,
      spentUsd,
      cause: error,
    })
  }
}

const remarksOf = (gate: Gate | null): Pick<Answer, 'remarks'> => {
  const remarks = gate?.replayed?.remarks ?? []
  return remarks.length === 0 ? {} : { remarks }
}
