/**
 * Reads gates from arguments of a command, such as `--fail-under passRate=0.8`. A gate can also be for a part of the
 * run: `--fail-under passRate=0.8,tag=safety,per=case`.
 */
import { UsageError } from '@assay/contract'
import { boundFault, type BoundGate, type BoundMetric } from '../../report/index.ts'
import { BOUND_METRICS, GATE_KEYS } from '../../report/gates/names.ts'
import { nearest } from '../../text/index.ts'
import type { Gate } from '../gates.ts'

/**
 * Matches the commas at which an argument is split. The names of subjects may contain commas and equals signs, so only
 * a comma before a known key counts.
 */
const PARTS = new RegExp(`,(?=(?:${GATE_KEYS.join('|')})=)`)

/** Reads one argument. If a name is unknown, throws a `UsageError` that suggests the nearest name. */
export function readGateArgument(flag: string, text: string): Gate {
  const refuse = (why: string): UsageError => new UsageError(`${flag} ${text}: ${why}`)
  const [head = '', ...rest] = text.split(PARTS)
  const at = head.indexOf('=')
  if (at === -1) throw refuse('expected a metric and a number, such as passRate=0.8')
  const metric = metricNamed(head.slice(0, at).trim(), refuse)
  const bound = boundOf(head.slice(at + 1).trim(), refuse)
  const fault = boundFault(metric, bound)
  if (fault !== null) throw refuse(fault)
  const given = new Map<string, string>()
  for (const part of rest) {
    const mark = part.indexOf('=')
    const [key, value] = [part.slice(0, mark), part.slice(mark + 1)]
    if (value === '') throw refuse(`${key} has no value`)
    if (given.has(key)) throw refuse(`${key} is given twice`)
    given.set(key, value)
  }
  return {
    metric,
    subject: given.get('subject') ?? null,
    rule: { kind: flag === '--fail-under' ? 'min' : 'max', bound },
    scope: {
      suite: given.get('suite') ?? null,
      tag: given.get('tag') ?? null,
      case: given.get('case') ?? null,
      per: oneOf('per', ['case', 'tag'], given.get('per'), refuse),
      target: oneOf('target', ['fixed', 'population'], given.get('target'), refuse),
      k: kOf(metric, given.get('k'), refuse),
    },
  }
}

type Refuse = (why: string) => UsageError

function metricNamed(name: string, refuse: Refuse): BoundMetric {
  const found = BOUND_METRICS.find((one) => one === name)
  if (found !== undefined) return found
  const meant = nearest(name, BOUND_METRICS)
  throw refuse(
    `there is no metric "${name}"${meant === null ? '' : `, did you mean "${meant}"?`}; known: ${BOUND_METRICS.join(', ')}`,
  )
}

function boundOf(text: string, refuse: Refuse): number {
  const percent = /^(\d+(?:\.\d+)?)\s*%$/.exec(text)?.[1]
  if (percent !== undefined) return Number(percent) / 100
  const bound = Number(text)
  if (text !== '' && Number.isFinite(bound)) return bound
  const wrong = /,\s*([^=,]+)=/.exec(text)?.[1]
  if (wrong === undefined) throw refuse(`"${text}" is not a number`)
  const meant = nearest(wrong, GATE_KEYS)
  throw refuse(
    `there is no key "${wrong}"${meant === null ? '' : `, did you mean "${meant}"?`}; known: ${GATE_KEYS.join(', ')}`,
  )
}

function oneOf<T extends string>(
  key: string,
  choices: readonly T[],
  value: string | undefined,
  refuse: Refuse,
): T | null {
  if (value === undefined) return null
  const found = choices.find((one) => one === value)
  if (found === undefined) throw refuse(`${key} is ${choices.join(' or ')}, not "${value}"`)
  return found
}

function kOf(metric: BoundMetric, value: string | undefined, refuse: Refuse): number | null {
  if (value === undefined) return null
  if (metric !== 'passAtK' && metric !== 'passHatK')
    throw refuse(`${metric} has no k: it is for passAtK and passHatK`)
  const k = Number(value)
  if (!Number.isSafeInteger(k) || k < 1) throw refuse('k is a whole number from 1')
  return k
}

/** Converts gates to gates on a single run. Throws `UsageError` if one of them needs a baseline. */
export function boundGates(gates: readonly Gate[], file: string | null): BoundGate[] {
  return gates.map(({ metric, subject, rule, scope = {} }) => {
    if (rule.kind === 'change')
      throw new UsageError(
        `${file === null ? 'a gate' : `a gate of ${file}`} on ${metric} has neither min nor max, so it asks for a change, which needs a baseline: use assay compare --gates, or give it min or max`,
      )
    const {
      suite = null,
      tag = null,
      case: one = null,
      per = null,
      k = null,
      target = null,
    } = scope
    return {
      ...{ metric, subject, suite, tag, case: one, per, k, target },
      kind: rule.kind,
      bound: rule.bound,
    }
  })
}
