/** Shows the trials of one subject on one case as buttons. The open trial is marked. */
import type { Identity, ViewCell } from '../data/source.ts'
import { outcomeName } from '../outcomes.ts'
import { Pager } from '../parts/pager.tsx'

interface TrialChoiceProps {
  readonly cell: ViewCell
  readonly index: number
  readonly unfoldable: ReadonlySet<number> | null
  readonly open: (place: Identity) => void
}

const WINDOW = 60

export function TrialChoice({ cell, index, unfoldable, open }: TrialChoiceProps) {
  const { suite, case: one, subject, outcomes } = cell
  const from = Math.floor(index / WINDOW) * WINDOW
  const go = (to: number): void => open({ suite, case: one, subject, index: to })
  return (
    <div class="trial-choice">
      <div role="group" aria-label="Trials">
        {outcomes
          .slice(from, from + WINDOW)
          .split('')
          .map((letter, i) => {
            const at = from + i
            const has = unfoldable?.has(at) ?? true
            return (
              <button
                type="button"
                class={`key fill-${outcomeName(letter)} ${has ? '' : 'bare'}`}
                aria-label={`trial ${at}: ${outcomeName(letter)}${has ? '' : ', without texts'}`}
                aria-current={at === index ? 'true' : undefined}
                title={`trial ${at}`}
                onClick={() => go(at)}
              >
                {letter}
              </button>
            )
          })}
      </div>
      <Pager what="trials" from={from} size={WINDOW} total={outcomes.length} base={0} turn={go} />
      <p class="small muted">
        Trial {index} of {outcomes.length}, counted from 0.{' '}
        <span class="no-print">← and → turn.</span>
      </p>
    </div>
  )
}
