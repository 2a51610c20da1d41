/** The form of the Review page: one trial, with the person's verdict and note. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { raterName, verdictsOf } from 'assay/view-data'
import type { ViewTrial } from '../data/source.ts'
import type { GivenLabel, ReviewedLabel, ReviewItem, RunSource } from '../data/workbench-source.ts'
import { useLoaded } from '../hooks/use-loaded.ts'
import { usePromise } from '../hooks/use-promise.ts'
import { Block, Name } from '../text/shown.tsx'
import { Unfolded } from '../trial/unfolded.tsx'
import { GivenLabels } from './given-labels.tsx'
import { labelsOf } from './queue.ts'
import { Rubrics, rubricsIn } from './rubrics.tsx'

interface ReviewFormProps {
  readonly item: ReviewItem
  readonly picked: GivenLabel['picked']
  readonly isBlind: boolean
  readonly reviewer: string
  readonly labels: readonly ReviewedLabel[]
  readonly source: Omit<RunSource, 'head'>
  readonly folder: string
  readonly add: (label: GivenLabel) => Promise<void>
  /**
   * Functions that move through the queue. `next` goes to the next trial without a label. Null if only a single
   * trial is shown.
   */
  readonly move: {
    readonly back: () => void
    readonly on: () => void
    /** `said` is a summary of the verdicts on the trial that the person has just labelled. */
    readonly next: (said: string) => void
  } | null
}

const VERDICTS = [
  { key: 'p', verdict: 'pass', title: 'Pass' },
  { key: 'f', verdict: 'fail', title: 'Fail' },
  { key: 'u', verdict: 'unsure', title: 'Unsure' },
] as const

export function ReviewForm(props: ReviewFormProps) {
  const { item, picked, isBlind, reviewer, labels, source, folder, add, move } = props
  const { suite, case: one, subject, position } = item
  const found = useLoaded(
    () => source.trial({ suite, case: one, subject, index: position }),
    [source, one, position],
    JSON.stringify(item),
  )
  const cases = usePromise(() => source.cases(suite), [source, suite]) ?? []
  const asked = cases.find((other) => other.case === one)
  const given = labelsOf(item, labels)
  const mine = given.find(({ label }) => label.reviewer === reviewer)?.label ?? null
  const [note, setNote] = useState<string | null>(null)
  const [fault, setFault] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const noteField = useRef<HTMLTextAreaElement>(null)
  const trial = found.value
  const answer = trial?.answerHash
  const canLabel = reviewer !== '' && answer !== undefined && !isBusy
  // A trial that the person once opened on purpose is hidden again when it comes up at random.
  const isReviewed = mine !== null && (picked === 'chosen' || mine.picked === 'random')
  const hides = isBlind && !isReviewed
  const text = note ?? mine?.note ?? ''

  const say = async (verdict: GivenLabel['verdict']): Promise<void> => {
    if (!canLabel) return
    setBusy(true)
    try {
      const cell = { suite, case: one, subject, position, answer }
      await add({ ...cell, reviewer, verdict, note: text, blind: hides, picked })
      setFault(null)
      if (verdict !== 'withdrawn') move?.next(summary(one, verdict, trial))
    } catch (error) {
      setFault((error as Error).message)
    } finally {
      setBusy(false)
    }
  }

  // Before the page is painted, so that a key pressed as soon as the answer is there is taken.
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey) return
      if ((event.target as Element).matches('select, input:not([type=checkbox]), textarea, pre'))
        return
      const chosen = VERDICTS.find(({ key }) => key === event.key)
      if (chosen !== undefined) void say(chosen.verdict)
      else if (event.key === 'ArrowRight') move?.on()
      else if (event.key === 'ArrowLeft') move?.back()
      else if (event.key === 'n') noteField.current?.focus()
      else return
      event.preventDefault()
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  })

  return (
    <>
      <p>
        case{' '}
        <b>
          <Name text={one} />
        </b>
        {asked !== undefined && asked.name !== one && (
          <>
            {' '}
            <Name text={asked.name} />
          </>
        )}{' '}
        · {hides ? <span class="muted">subject hidden</span> : <Name text={subject} />}
      </p>
      {asked !== undefined && asked.turns !== null && (
        <details open>
          <summary>What was asked</summary>
          {asked.turns.map((turn) => (
            <Block text={turn} label="prompt" />
          ))}
        </details>
      )}
      {asked !== undefined && <Rubrics rubrics={rubricsIn(cases, asked)} isOpen />}
      {found.error !== null && (
        <p class="left-out" role="alert">
          <Name text={found.error} most={1000} />
        </p>
      )}
      {trial === null ? (
        found.error === null && <p class="left-out">The texts of this trial are not here.</p>
      ) : (
        <Unfolded trial={trial} folder={folder} isBlind={hides} />
      )}
      {asked?.reference != null && (
        <details>
          <summary>Reference answer</summary>
          <Block text={asked.reference} label="reference answer" />
        </details>
      )}
      <label class="note no-print">
        <span>
          Note <kbd>n</kbd>
        </span>
        <textarea
          ref={noteField}
          rows={2}
          maxLength={4000}
          value={text}
          onInput={(event) => setNote(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') event.currentTarget.blur()
          }}
        />
      </label>
      <div class="decide no-print" role="group" aria-label="Your verdict">
        <div class="buttons">
          {VERDICTS.map(({ key, verdict, title }) => (
            <button
              type="button"
              class={`plain say-${verdict}`}
              disabled={!canLabel}
              aria-pressed={mine?.verdict === verdict}
              onClick={() => void say(verdict)}
            >
              {title} <kbd>{key}</kbd>
            </button>
          ))}
          {move !== null && (
            <>
              <button type="button" class="plain" onClick={move.back}>
                Back <kbd>←</kbd>
              </button>
              <button type="button" class="plain" onClick={move.on}>
                Skip <kbd>→</kbd>
              </button>
            </>
          )}
          {mine !== null && (
            <button
              type="button"
              class="quiet"
              disabled={!canLabel}
              onClick={() => void say('withdrawn')}
            >
              withdraw your label
            </button>
          )}
        </div>
        {reviewer === '' && <p class="muted small">Enter your name above to give a verdict.</p>}
        {fault !== null && (
          <p class="left-out" role="alert">
            Not saved: <Name text={fault} most={1000} />
          </p>
        )}
      </div>
      {!hides && <Others labels={given} trial={trial} reviewer={reviewer} />}
    </>
  )
}

/** Returns in one line what the person and the graders said about an answer. */
const summary = (one: string, verdict: string, trial: ViewTrial | null): string =>
  [
    `Saved for ${one}: you say ${verdict}`,
    ...(trial === null ? [] : verdictsOf(trial)).map(
      (given) => `${raterName(given)}: ${given.passed ? 'pass' : 'fail'}`,
    ),
  ].join(' · ')

interface OthersProps {
  readonly labels: readonly ReviewedLabel[]
  readonly trial: ViewTrial | null
  readonly reviewer: string
}

/**
 * Shows what judges and other people said about this answer. In a blind review, it appears only after the person's
 * own verdict.
 */
function Others({ labels, trial, reviewer }: OthersProps) {
  const verdicts = trial === null ? [] : verdictsOf(trial)
  if (labels.length === 0 && verdicts.length === 0) return null
  return (
    <ul class="said" aria-label="Verdicts on this answer">
      {verdicts.map((given) => (
        <li>
          <Name text={raterName(given)} />: <strong>{given.passed ? 'pass' : 'fail'}</strong>
        </li>
      ))}
      <GivenLabels labels={labels} reviewer={reviewer} />
    </ul>
  )
}
