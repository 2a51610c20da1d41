/** Collects from the run's record where a report's figures come from. */
import { CODE_WEIGHTS, COMPOSITE_WEIGHTS, GRADE_SCALE } from '@assay/metrics'
import {
  lastRevision,
  type ExperimentRecord,
  type RunRecord,
  type Tally,
  type TrialsRead,
} from '../../log/index.ts'
import type { TierScoring } from './composite.ts'
import type { Provenance } from '../schema/report.ts'

/**
 * How scores are computed. `version` must be increased whenever a change to Assay can give the same trials different
 * scores, composites or letter grades.
 */
export const SCORING: Provenance['scoring'] = {
  version: 1,
  codeWeights: CODE_WEIGHTS,
  compositeWeights: COMPOSITE_WEIGHTS,
  grades: GRADE_SCALE,
}

const scoredBy = ({ composite, grades, impl }: ExperimentRecord): Provenance['scoring'] => ({
  ...SCORING,
  compositeWeights: composite,
  grades,
  impl,
})

/** Returns how an experiment computes composites and letter grades. */
export const scoringOf = ({ composite, grades, impl }: ExperimentRecord): TierScoring => ({
  weights: composite,
  scale: grades,
  impl,
})

/**
 * Returns the origin of a report's figures. If the text of a suite is missing from the run folder, `gradersHashes` has
 * no hash for it.
 */
export function provenanceOf(
  record: RunRecord,
  gradersHashes: ReadonlyMap<string, string>,
  read: TrialsRead,
  tally: Tally,
): Provenance {
  const last = lastRevision(record)
  return {
    ...(last.experiment?.name == null ? {} : { experiment: last.experiment.name }),
    ...(last.experiment?.file === undefined ? {} : { experimentFile: last.experiment.file }),
    tool: { ...record.tool },
    seed: record.seed,
    suites: last.suites.map(({ id, name, path, format, hash, threshold, codeWeights }) => ({
      id,
      name,
      path,
      format,
      hash,
      gradersHash: gradersHashes.get(id) ?? null,
      threshold,
      ...(codeWeights === undefined ? {} : { codeWeights: codeWeights.map((one) => ({ ...one })) }),
    })),
    subjects: last.subjects.map(({ id, kind, source, config, hash }) => ({
      id,
      kind,
      source,
      config,
      hash,
    })),
    timeoutMs: last.timeoutMs,
    ...(last.agentTimeoutMs === undefined ? {} : { agentTimeoutMs: last.agentTimeoutMs }),
    gradeTimeoutMs: last.gradeTimeoutMs,
    budgetUsd: last.budgetUsd,
    prices: last.prices,
    sandbox: last.sandbox ?? null,
    toolchains: { ...last.toolchains },
    scoring: last.experiment === undefined ? SCORING : scoredBy(last.experiment),
    revisions: record.revisions.length,
    stopped: record.ended?.how ?? null,
    ...(last.judges === undefined
      ? {}
      : { judges: last.judges.map(({ id, kind, config, hash }) => ({ id, kind, config, hash })) }),
    ...(record.regrades === undefined ? {} : { regrades: { ...record.regrades } }),
    ...(record.shard === undefined ? {} : { shard: { ...record.shard } }),
    ...(last.leftOut === undefined
      ? {}
      : {
          leftOut: {
            words: last.leftOut.words,
            suites: last.leftOut.suites.map((one) => ({ ...one })),
          },
        }),
    ...(record.merged === undefined ? {} : { merged: [...record.merged] }),
    origin: null,
    ...(record.edited === true ? { edited: true as const } : {}),
    log: {
      torn: read.torn,
      damaged: read.damaged,
      ...(read.damaged > 0 ? { damagedLines: read.damagedLines.map((one) => ({ ...one })) } : {}),
      ...(read.version === null ? {} : { checked: read.version > 1 }),
      replaced: tally.replaced,
      foreign: tally.foreign,
    },
  }
}
