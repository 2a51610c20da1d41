/** Warnings about a plan that is valid but probably not intended, and about flags that have no effect. */
import { plain } from '@assay/contract'
import { modelInCommand } from '../../subject/index.ts'
import { counted } from '../../text/index.ts'
import { trialsOf } from '../../run/index.ts'
import type { PlannedRun } from './planned-run.ts'
import { durationText, graderTimeouts } from './setting-lines.ts'

type Planned = Omit<PlannedRun, 'warnings'>

export function cautions(plan: Planned): string[] {
  return [...aboutCommas(plan), ...aboutTrials(plan), ...aboutTimeouts(plan), ...aboutLimits(plan)]
}

/**
 * Warns about a command that contains a comma and then a model name. The user may think that the comma separates two
 * subjects, but it does not.
 */
const aboutCommas = ({ models }: Planned): string[] =>
  models.flatMap(({ value }) => {
    const model = modelInCommand(value)
    return model === null
      ? []
      : [
          `${plain(value)} is one command, with its comma: repeat --model if ${plain(model)} is to answer too, or put quotes around the comma`,
        ]
  })

function aboutTrials({ suites, subjects, resolved, request }: Planned): string[] {
  const { cases: settings, temperature } = resolved
  const counts = suites.flatMap((suite) =>
    suite.cases.map((one) => trialsOf(settings, suite, one).value),
  )
  const fewest = counts.reduce((least, n) => Math.min(least, n), Number.POSITIVE_INFINITY)
  const most = counts.reduce((largest, n) => Math.max(largest, n), 0)
  const k = Math.max(...settings.passK.value)
  const told: string[] = []
  if (settings.passK.place === 'flag' && !settings.trials.some(({ place }) => place === 'flag'))
    told.push(triesText(settings.passK.value, fewest, most))
  if (k > fewest)
    told.push(
      `pass@${k} needs at least ${k} trials per case and there ${fewest === 1 ? 'is' : 'are'} ${fewest}${fewest === most ? '' : ' in some'}: it will be missing${fewest === most ? '' : ' there'}`,
    )
  else if (k > 1 && k === fewest)
    told.push(
      `with as many trials as k, pass@${k} of a case is only 0 or 1: --trials ${2 * k} gives a finer figure`,
    )
  const isFixed = request.temperature === 0 || temperature?.value === 0
  if (most > 1 && isFixed && subjects.some(({ kind }) => kind === 'model'))
    told.push(`${most} trials at temperature 0 are mostly the same answer ${most} times`)
  return told
}

/** Explains how often each case is tried if `--pass-k` is given without `--trials`. */
function triesText(passK: readonly number[], fewest: number, most: number): string {
  const k = Math.max(...passK)
  const tries = fewest === most ? counted(most, 'time') : `${fewest} to ${counted(most, 'time')}`
  const why =
    most === k && fewest === k ? 'as often as the largest k' : 'as the suites and settings say'
  return `--pass-k ${passK.join(',')} without --trials: each case is tried ${tries}, ${why}`
}

/**
 * Warns about `--timeout` and `--grade-timeout` if they have no effect. That happens if a subject or grader sets its
 * own timeout.
 */
function aboutTimeouts({ suites, resolved, ownTimeouts }: Planned): string[] {
  const told: string[] = []
  const asked = resolved.cases.timeoutMs.find(({ place }) => place === 'flag')
  if (asked !== undefined)
    for (const [id, ms] of ownTimeouts)
      if (ms < asked.value)
        told.push(
          `${id} has a timeout of ${durationText(ms)} itself: --timeout ${durationText(asked.value)} does not lengthen it`,
        )
  const own = graderTimeouts(suites).length
  if (resolved.gradeTimeoutMs.place === 'flag' && own > 0)
    told.push(
      `${counted(own, 'grader has', 'graders have')} a timeout of ${own === 1 ? 'its' : 'their'} own, which --grade-timeout does not change`,
    )
  return told
}

/**
 * Warns about limits of cases that cannot stop a subject while it works. A limit on tokens, for example, has no effect
 * on a subject that does not report its tokens.
 */
function aboutLimits({ suites, subjects }: Planned): string[] {
  const limited = suites.flatMap(({ cases }) => cases.map(({ limits }) => limits))
  return subjects.flatMap(({ id, unheldLimits = [] }) => {
    const set = unheldLimits.filter((name) =>
      limited.some((limits) => (limits?.[name] ?? null) !== null),
    )
    if (set.length === 0) return []
    return [
      `${plain(id)} does not report what ${set.map((name) => `limits.${name}`).join(', ')} ${set.length === 1 ? 'counts' : 'count'} while it works, and its requests do not go through the gateway: it is not stopped there`,
    ]
  })
}
