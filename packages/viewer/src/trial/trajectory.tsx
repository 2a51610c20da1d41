/**
 * Shows the trajectory of an agent: the totals, then a line per step in order of time. Each step can be unfolded,
 * and a search field finds steps by their text.
 */
import { Fragment } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { totalWords } from 'assay/view-data'
import type { ViewStep, ViewTrajectory } from '../data/source.ts'
import { count, counted, time } from '../figures.ts'
import { findIn, patternOf } from '../find-steps.ts'
import { Found } from '../text/found.ts'
import { Name } from '../text/shown.tsx'
import { useFolds } from '../hooks/use-folds.ts'
import { isOpenAtFirst, Step } from './step.tsx'

export function Trajectory({ trajectory }: { readonly trajectory: ViewTrajectory }) {
  const { steps, gap, complete, oddities, ms } = trajectory
  const [words, setWords] = useState('')
  const pattern = useMemo(() => patternOf(words), [words])
  const found = useMemo(() => shownSteps(steps, pattern), [steps, pattern])
  const [drawn, setDrawn] = useState(DRAWN)
  const folds = useFolds()
  const several = steps.some(({ turn }) => turn > 0)
  return (
    <section class="trajectory" aria-labelledby="trial-steps">
      <h3 id="trial-steps">What the agent did</h3>
      <Totals trajectory={trajectory} />
      {!complete && (
        <p class="left-out">The agent’s stream of events broke off: there may have been more.</p>
      )}
      {oddities.map((oddity) => (
        <p class="left-out">
          <Name text={oddity} />
        </p>
      ))}
      <form class="filters no-print" onSubmit={(event) => event.preventDefault()}>
        <label class="words">
          Find
          <input
            type="search"
            value={words}
            placeholder="text, tool, argument, result"
            onInput={(event) => {
              setWords(event.currentTarget.value)
              setDrawn(DRAWN)
              folds.reset()
            }}
          />
        </label>
        <span class="segments">
          <button type="button" onClick={() => folds.setAll(false)}>
            fold all
          </button>
          <button type="button" onClick={() => folds.setAll(true)}>
            unfold all
          </button>
        </span>
        <output class="muted small">
          {pattern === null
            ? counted(steps.length, 'step')
            : `${count(found.length)} of ${counted(steps.length, 'step')}`}
        </output>
      </form>
      <Found value={pattern}>
        <ol class="steps">
          {found.slice(0, drawn).map(({ step, index, atFirst }, i) => {
            const isOpen = folds.isOpen(index, atFirst)
            return (
              <Fragment key={index}>
                {several && step.turn !== found[i - 1]?.step.turn && (
                  <li class="step-turn">The user’s turn {step.turn + 1}</li>
                )}
                {gap !== null && index === gap.after && (
                  <li class="left-out">
                    {counted(gap.steps, 'step')} here in the middle are not on this page
                  </li>
                )}
                <li class={`step step-${step.kind}`}>
                  <Step
                    step={step}
                    totalMs={ms}
                    isOpen={isOpen}
                    toggle={() => folds.toggle(index, isOpen)}
                  />
                </li>
              </Fragment>
            )
          })}
        </ol>
      </Found>
      {found.length > drawn && (
        <p class="pager no-print">
          <button type="button" onClick={() => setDrawn(drawn + MORE_DRAWN)}>
            {counted(found.length - drawn, 'more step')}
          </button>
        </p>
      )}
    </section>
  )
}

/**
 * `DRAWN` steps are rendered initially, and a button adds `MORE_DRAWN`. Rendering thousands of steps at once
 * would take seconds.
 */
const DRAWN = 300
const MORE_DRAWN = 1000

interface ShownStep {
  readonly step: ViewStep
  readonly index: number
  /** Whether the step is unfolded at first. */
  readonly atFirst: boolean
}

/** The steps that a search finds are unfolded, unless there are more than this number. */
const MOST_UNFOLDED = 40

function shownSteps(steps: readonly ViewStep[], pattern: RegExp | null): ShownStep[] {
  if (pattern === null)
    return steps.map((step, index) => ({ step, index, atFirst: isOpenAtFirst(step) }))
  const found = steps.flatMap((step, index) => {
    const where = findIn(step, pattern)
    return where === 'not' ? [] : [{ step, index, atFirst: where === 'inside' }]
  })
  return found.length <= MOST_UNFOLDED ? found : found.map((one) => ({ ...one, atFirst: false }))
}

function Totals({ trajectory }: { readonly trajectory: ViewTrajectory }) {
  const { format, agentVersion, model, usage } = trajectory
  return (
    <>
      <p class="facts">
        {totalWords(trajectory, time).map((words) => (
          <span>{words}</span>
        ))}
        <span class="muted">
          <Name
            text={[format, agentVersion, model].filter((one) => one !== null).join(' · ')}
            most={120}
          />
        </span>
      </p>
      {usage.length > 0 && (
        <div class="scroll">
          <table class="tokens">
            <caption class="unseen">Tokens by model</caption>
            <thead>
              <tr>
                {['tokens', 'input', 'cache read', 'cache write', 'output', 'reasoning'].map(
                  (title, i) => (
                    <th scope="col" class={i === 0 ? '' : 'right'}>
                      {title}
                    </th>
                  ),
                )}
              </tr>
            </thead>
            <tbody>
              {usage.map(({ model: name, tokens }) => (
                <tr>
                  <th scope="row">
                    <Name text={name} most={80} />
                  </th>
                  {[
                    tokens.input,
                    tokens.cacheRead,
                    tokens.cacheWrite,
                    tokens.output,
                    tokens.reasoning,
                  ].map((n) => (
                    <td class="right">{count(n)}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  )
}
