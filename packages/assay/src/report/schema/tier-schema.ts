/**
 * The part of `report.json` that compares tiers. The first fields are those of the metrics-formulas specification (see
 * docs/reference/formulas.md). They are plain numbers computed from medians, one per tier in order, with the names that
 * the specification uses.
 *
 * `metrics`, `cost_of_pass`, `frontier` and `pareto` are their statistically sound counterparts. They contain means and
 * differences paired by case, tests adjusted for the number of tests, and effect sizes. There are two intervals each:
 * for exactly these cases, and for cases like these. All fields that are not in metrics-formulas are optional, because
 * reports of earlier versions do not have them.
 */
import { z } from 'zod'
import { togetherSchema } from './headline-schema.ts'
import { count, figure, metricSchema, overlapSchema } from './metric-schema.ts'

const bothSchema = z
  .object({ population: metricSchema, fixed: metricSchema })
  .describe('for cases like these, and for exactly these cases tried again')

const differenceSchema = bothSchema
  .extend({
    together: togetherSchema
      .nullable()
      .optional()
      .describe('decided with all tiers counted; null where there is no interval'),
    relative: metricSchema.describe('ratio of the means over the paired cases, less 1'),
    effect: z
      .object({
        delta: z.number().describe('Cliff’s delta, tier against baseline'),
        low: z.number(),
        high: z.number(),
        over: z.enum(['cases', 'trials']).describe('what was compared: trials of a single case'),
      })
      .nullable(),
    compared: overlapSchema.optional().describe('what was compared with what'),
  })
  .describe('to the baseline; over the cases that both have, unless compared says otherwise')

const pairSchema = z.object({
  a: z.string(),
  b: z.string(),
  test: z.string(),
  p: figure.describe('two-sided: any difference at all between the two on these cases?'),
  adjusted: figure.describe('after Holm, over the pairs of this metric'),
})

const tierMetricSchema = z.object({
  metric: z.enum(['passRate', 'meanScore', 'composite']),
  means: z.array(bothSchema).describe('of each tier, in order'),
  differences: z.array(differenceSchema.nullable()).describe('in order; null for the baseline'),
  omnibus: z
    .object({
      test: z.string(),
      statistic: z.number(),
      df: count,
      p: z.number(),
      shared: count.optional().describe('cases that at least two tiers were scored on'),
      informative: count.optional().describe('those of them on which not all values are the same'),
    })
    .nullable()
    .describe('do the tiers differ at all?'),
  pairs: z.array(pairSchema).describe('every two tiers; of many tiers each with the baseline'),
})

export const tiersSchema = z.object({
  suite: z.string(),
  baseline: z.string(),
  order: z.array(z.string()),
  tier_uplift: z.array(figure),
  uplift_abs: z.array(figure),
  pass_rate_variance: figure,
  composite_variance: figure.optional().describe('of the median composites'),
  cost_variance: figure,
  cost_delta: figure,
  sensitivity: z
    .object({ reading: z.enum(['sensitive', 'insensitive', 'undecided']), why: z.string() })
    .nullable()
    .optional()
    .describe(
      'what the variance of pass rates means: prompt sensitive or insensitive, by evidence',
    ),
  frontier_cop: z
    .object({ cost_of_pass: figure, tier: z.string().nullable() })
    .optional()
    .describe('the least cost of pass of any tier, and whose it is'),
  metrics: z.array(tierMetricSchema).optional(),
  cost_of_pass: z.array(bothSchema).optional().describe('total cost over total passes, in order'),
  frontier: z
    .object({
      value: figure.describe('mean over solved cases of the least cost of pass of any tier'),
      cases: count,
      solved: count,
      heldOut: metricSchema.describe('tiers chosen by one half of the trials, priced by the other'),
    })
    .nullable()
    .optional(),
  pareto: z
    .object({
      tiers: z.array(z.string()).describe('no other is both cheaper and better'),
      probability: z
        .array(z.number())
        .describe('share of resampled suites in which it is, in order; none of a single case'),
      resamples: count,
    })
    .nullable()
    .optional(),
  distribution: z
    .object({
      of: z.enum(['score', 'composite']),
      counts: z
        .array(z.array(count))
        .describe('in order: trials by 20 equal steps from 0 to 1, the last one closed'),
    })
    .nullable()
    .optional(),
  notes: z.array(z.string()).optional().describe('figures that say less than they seem to'),
})

export type ReportTiers = z.infer<typeof tiersSchema>
export type TierMetric = z.infer<typeof tierMetricSchema>
