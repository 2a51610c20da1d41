/**
 * Compares what an agent reports about its work with what its traffic shows. If the traffic shows a call or a skill, it
 * counts as seen, with the arguments and the result in the traffic. If only the agent reports it, it is marked as
 * claimed. If only the traffic shows it, it is added to the steps. Tokens and cost are also taken from the traffic.
 */
import type { GatewayFigures, ModelRequest, Step, Trajectory } from '@assay/contract'
import { canonicalJson } from '@assay/contract/hash'
import type { Seen, SeenCall } from '../../gateway/evidence.ts'
import type { AgentKind, AgentSettings, CallFacts } from '../agent-kind.ts'

type ToolCall = Extract<Step, { readonly kind: 'tool-call' }>

interface Traffic {
  readonly seen: Seen
  readonly models: readonly GatewayFigures[]
  readonly figures: { readonly usd: number | null }
  readonly requests: readonly ModelRequest[]
  readonly counts: { readonly turns: number }
}

interface AgentFacts {
  readonly kind: Pick<AgentKind, 'calls'>
  readonly settings: AgentSettings
  readonly folder: string
}

/** A call of the model, converted to the form that the agent's stream uses for its calls. */
interface ToldForm extends CallFacts {
  readonly call: SeenCall
}

export function withEvidence(
  trajectory: Trajectory,
  { seen, requests, counts, models, figures }: Traffic,
  { kind, settings, folder }: AgentFacts,
): Trajectory {
  const forms = seen.calls.map((call): ToldForm => {
    const { name, args } = kind.calls?.told?.(call, { settings, folder }) ?? call
    return { call, name, args }
  })
  const matched = matchedCalls(trajectory.steps, forms, kind)
  const skills = new Map(seen.skills.map(({ name, at }) => [name, at]))
  for (const { call, name, args } of forms)
    if (call.result !== null && call.result.failed !== true)
      for (const skill of kind.calls?.skillsOf?.({ name, args }) ?? [])
        if (!skills.has(skill)) skills.set(skill, call.result.at)
  const steps = trajectory.steps.map((step): Step => {
    if (step.kind === 'skill')
      return { ...step, evidence: isUsed(step.name, skills) ? 'seen' : 'claimed' }
    if (step.kind !== 'tool-call') return step
    const form = matched.get(step)
    return form === undefined ? { ...step, evidence: 'claimed' } : seenStep(step, form, kind)
  })
  const told = new Set(matched.values())
  const named = new Set(steps.flatMap((step) => (step.kind === 'skill' ? [step.name] : [])))
  const { lossy: _, ...rest } = trajectory
  return {
    ...rest,
    steps: inserted(steps, [
      ...forms.filter((form) => !told.has(form)).map(untoldStep),
      ...[...skills]
        .filter(([name]) => ![...named].some((one) => isSkill(one, name)))
        .map(([name, at]): Step => ({ at, turn: 0, kind: 'skill', name, evidence: 'seen' })),
    ]),
    turns: counts.turns,
    usage: Object.fromEntries(
      models.flatMap(({ model, usage }) => (usage === null ? [] : [[model, usage]])),
    ),
    usd: figures.usd,
    usdFrom: figures.usd === null ? null : 'priced',
    // Only the traffic decides whether steps are missing. Steps that only the agent reports are no evidence, so it does
    // not matter if some of them are missing.
    ...(seen.isLossy ? { lossy: true as const } : {}),
    requests,
  }
}

/**
 * Finds the model's call for each call that the agent reports. Calls are matched by their id, or else by name and
 * arguments in order.
 */
function matchedCalls(
  steps: readonly Step[],
  forms: readonly ToldForm[],
  kind: AgentFacts['kind'],
): Map<ToolCall, ToldForm> {
  const keyOf = ({ name, args }: CallFacts): string => {
    const key =
      kind.calls?.callKey === undefined ? canonicalJson(args) : kind.calls.callKey({ name, args })
    return JSON.stringify([name, key])
  }
  const found = new Map<ToolCall, ToldForm>()
  const taken = new Set<ToldForm>()
  const take = (step: ToolCall, form: ToldForm): void => {
    taken.add(form)
    found.set(step, form)
  }
  const calls = steps.filter((step) => step.kind === 'tool-call')
  const byId = new Map(forms.map((form) => [form.call.id, form]))
  for (const step of calls) {
    const form = byId.get(step.id)
    const isNamed = kind.calls?.hasOtherNames === true || form?.name === step.name
    if (form !== undefined && !taken.has(form) && isNamed) take(step, form)
  }
  const byKey = Map.groupBy(forms.filter((form) => !taken.has(form)).toReversed(), (form) =>
    keyOf(form),
  )
  for (const step of calls) {
    const form = found.has(step) ? undefined : byKey.get(keyOf(step))?.pop()
    if (form !== undefined) take(step, form)
  }
  if (kind.calls?.hasOtherNames === true) {
    const left = forms.filter((form) => !taken.has(form))
    for (const step of calls.filter((one) => !found.has(one))) {
      const form = left.shift()
      if (form !== undefined) take(step, form)
    }
  }
  return found
}

function seenStep(step: ToolCall, { call, name, args }: ToldForm, kind: AgentFacts['kind']): Step {
  const { result } = call
  // If the agent's report and the traffic describe the call with the same key, the two mean the same. The agent's form
  // is then kept, because its users know it.
  const key = kind.calls?.callKey?.(step) ?? null
  return {
    ...step,
    ...(kind.calls?.hasOtherNames === true ? { name } : {}),
    args: key !== null && key === kind.calls?.callKey?.({ name, args }) ? step.args : args,
    ...(result === null ? {} : { result: result.text, failed: result.failed ?? step.failed }),
    evidence: 'seen',
  }
}

const untoldStep = ({ call: { at, id, result }, name, args }: ToldForm): Step => ({
  at,
  turn: 0,
  kind: 'tool-call',
  id,
  name,
  args,
  result: result?.text ?? null,
  failed: result?.failed ?? false,
  ms: result === null ? null : Math.max(0, result.at - at),
  evidence: 'seen',
})

/** Inserts steps according to their times. Each of them gets the user's turn of the step before it. */
function inserted(steps: readonly Step[], more: readonly Step[]): readonly Step[] {
  const waiting = more.toSorted((a, b) => a.at - b.at)
  const all: Step[] = []
  const add = (step: Step): void => {
    all.push({ ...step, turn: all.at(-1)?.turn ?? 0 })
  }
  let next = 0
  for (const step of steps) {
    for (; next < waiting.length && (waiting[next] as Step).at < step.at; next++)
      add(waiting[next] as Step)
    all.push(step)
  }
  for (; next < waiting.length; next++) add(waiting[next] as Step)
  return all
}

const isUsed = (told: string, skills: ReadonlyMap<string, number>): boolean =>
  [...skills.keys()].some((name) => isSkill(told, name))

/** Whether an agent's name for a skill means this skill. A skill of a plugin is called PLUGIN:NAME. */
const isSkill = (told: string, name: string): boolean => told === name || told.endsWith(`:${name}`)
