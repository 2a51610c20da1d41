/**
 * Combines every subject with every prompt of a suite. Each combination is a separate subject, named `MODEL ·
 * PROMPT`. So reports, comparisons and gates compare two prompts in the same way as two models: paired by case. Both
 * have the same cases with the same hashes.
 */
import type { Json, Prompt, Subject, Suite } from '@assay/contract'
import { compilePrompts, type CompiledPrompt } from './render-prompt.ts'

export interface PromptedPlan {
  readonly suites: readonly Suite[]
  readonly subjects: readonly Subject[]
  /** Messages for the user about subjects to which prompts do not apply. */
  readonly notices: readonly string[]
}

export const promptedName = (subject: string, prompt: string): string => `${subject} · ${prompt}`

/** Whether the subject is asked with a prompt. Recorded answers and functions do not use prompts. */
const isAsked = ({ kind }: Subject): boolean => kind !== 'replay' && kind !== 'function'

/** Returns the suites and subjects of a plan in which every subject is asked with each prompt of a suite. */
export async function withPrompts(
  suites: readonly Suite[],
  subjects: readonly Subject[],
): Promise<PromptedPlan> {
  if (suites.every(({ prompts }) => prompts === undefined)) return { suites, subjects, notices: [] }
  const templates = new Map<string, Map<string, { prompt: Prompt; compiled: CompiledPrompt }>>()
  for (const { id, prompts = [] } of suites)
    for (const [at, compiled] of (await compilePrompts(prompts)).entries()) {
      const { name } = compiled
      let bySuite = templates.get(name)
      if (bySuite === undefined) templates.set(name, (bySuite = new Map()))
      bySuite.set(id, { prompt: prompts[at] as Prompt, compiled })
    }
  const isPlain = suites.some(({ prompts }) => prompts === undefined)
  const all = subjects.flatMap((subject) => [
    ...(isPlain || !isAsked(subject) ? [subject] : []),
    ...(isAsked(subject)
      ? [...templates].map(([name, bySuite]) => promptedSubject(subject, name, bySuite))
      : []),
  ])
  const recorded = subjects.filter(({ kind }) => kind === 'replay')
  return {
    suites: suites.map((suite) => ({ ...suite, subjects: answering(suite, subjects) })),
    subjects: all,
    notices: recorded.map(
      ({ id }) => `${id} repeats recorded answers: the prompts of the suite do not apply to it`,
    ),
  }
}

function answering({ prompts, subjects: own }: Suite, subjects: readonly Subject[]): string[] {
  const mine = own === undefined ? subjects : subjects.filter(({ id }) => own.includes(id))
  return mine.flatMap((subject) =>
    prompts === undefined || !isAsked(subject)
      ? [subject.id]
      : prompts.map(({ name }) => promptedName(subject.id, name)),
  )
}

const tracesOf = (subject: Subject): Pick<Subject, 'traces'> =>
  subject.traces === undefined
    ? {}
    : { traces: (one, suite) => subject.traces?.(one, suite) ?? { trajectory: true, diff: true } }

function promptedSubject(
  subject: Subject,
  name: string,
  bySuite: ReadonlyMap<string, { readonly prompt: Prompt; readonly compiled: CompiledPrompt }>,
): Subject {
  const { kind, source, pool, concurrency, secrets, takesAllTurns } = subject
  const texts = [...bySuite].map(([suite, { prompt }]) => {
    const { name: _, ...rest } = prompt
    return [suite, rest] as const
  })
  return {
    id: promptedName(subject.id, name),
    kind,
    source,
    pool,
    concurrency,
    config: {
      subject: subject.config,
      prompt: name,
      prompts: Object.fromEntries(texts) as unknown as Json,
    },
    secrets,
    ...(takesAllTurns === undefined ? {} : { takesAllTurns }),
    ...tracesOf(subject),
    asks: (one, suite) => bySuite.get(suite)?.compiled.apply(one) ?? one,
    estimateUsd: (one) => subject.estimateUsd(one),
    answer: (ask) => subject.answer(ask),
    close: () => subject.close(),
  }
}
