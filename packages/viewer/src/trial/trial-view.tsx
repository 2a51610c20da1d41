/** Shows one trial, in a drawer or as a page: the prompt, the answer, the grades, and what an agent did. */
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import type { DataSource, Identity, LeftOut, ViewCell } from '../data/source.ts'
import { counted } from '../figures.ts'
import { outcomeName } from '../outcomes.ts'
import { Rubrics, rubricsIn } from '../review/rubrics.tsx'
import { Block, Name } from '../text/shown.tsx'
import { visible } from '../text/visible.ts'
import { usePromise } from '../hooks/use-promise.ts'
import { TrialChoice } from './trial-choice.tsx'
import { ShowCommand, Unfolded } from './unfolded.tsx'

interface TrialViewProps {
  readonly source: Omit<DataSource, 'head'>
  readonly leftOut: LeftOut
  readonly place: Identity
  readonly open: (place: Identity) => void
  /** The run folder in a form that commands accept. */
  readonly folder?: string | undefined
  /** Content that is shown next to the name of the case. */
  readonly aside?: ComponentChildren
  /** Content that is shown below the choice of the trial. */
  readonly links?: ComponentChildren
  /** The verdicts of people, which are shown above the answer. */
  readonly labels?: ComponentChildren
  readonly isPage?: boolean
}

export function TrialView(props: TrialViewProps) {
  const { source, leftOut, place, open, folder = 'RUN', isPage = false } = props
  const { suite, case: one, subject, index } = place
  const cells = usePromise(() => source.cells(suite), [source, suite]) ?? []
  const ofCase = cells.filter((cell) => cell.case === one)
  const cell = ofCase.find((other) => other.subject === subject)
  const cases = usePromise(() => source.cases(suite), [source, suite]) ?? []
  const asked = cases.find((other) => other.case === one)
  const unfoldable = usePromise(() => source.unfoldable(place), [source, suite, one, subject])
  const found = usePromise(
    async () => ({ trial: await source.trial(place), at: keyOf(place) }),
    [source, keyOf(place)],
  )
  useEffect(() => {
    const turn = (event: KeyboardEvent): void => {
      if ((event.target as Element).matches('select, input, textarea, pre')) return
      const by = event.key === 'ArrowLeft' ? -1 : event.key === 'ArrowRight' ? 1 : 0
      const to = index + by
      if (by !== 0 && cell !== undefined && to >= 0 && to < cell.outcomes.length)
        open({ ...place, index: to })
    }
    addEventListener('keydown', turn)
    return () => removeEventListener('keydown', turn)
  }, [keyOf(place), cell])
  const Title = isPage ? 'h1' : 'h2'
  return (
    <>
      <div class="drawer-head">
        <div>
          <Title id="trial-case">
            <Name text={one} />
          </Title>
          <p class="muted">
            {asked !== undefined && asked.name !== one && <Name text={asked.name} />}
            {asked?.tags.map((tag) => (
              <span class="tag">
                <Name text={tag} />
              </span>
            ))}
          </p>
        </div>
        {props.aside}
      </div>
      <SubjectChoice cells={ofCase} place={place} open={open} />
      {cell !== undefined && (
        <TrialChoice cell={cell} index={index} unfoldable={unfoldable} open={open} />
      )}
      {props.links}
      {asked !== undefined && (
        <details open={isPage}>
          <summary>What was asked</summary>
          {asked.turns === null ? (
            <p class="left-out">This page has no room for what was asked.</p>
          ) : (
            asked.turns.map((turn) => <Block text={turn} label="prompt" />)
          )}
        </details>
      )}
      {asked !== undefined && <Rubrics rubrics={rubricsIn(cases, asked)} isOpen={false} />}
      {props.labels}
      {found !== null &&
        found.at === keyOf(place) &&
        (found.trial === null ? (
          <Missing leftOut={leftOut} place={place} cell={cell} folder={folder} />
        ) : (
          <Unfolded trial={found.trial} folder={folder} key={found.at} />
        ))}
      {asked?.reference != null && (
        <details>
          <summary>Reference answer</summary>
          <Block text={asked.reference} label="reference answer" />
        </details>
      )}
    </>
  )
}

const keyOf = ({ suite, case: one, subject, index }: Identity): string =>
  JSON.stringify([suite, one, subject, index])

interface SubjectChoiceProps {
  readonly cells: readonly ViewCell[]
  readonly place: Identity
  readonly open: (place: Identity) => void
}

function SubjectChoice({ cells, place, open }: SubjectChoiceProps) {
  const at = cells.findIndex(({ subject }) => subject === place.subject)
  return (
    <p>
      {cells.length < 2 ? (
        <Name text={place.subject} />
      ) : (
        <label>
          Subject{' '}
          <select
            value={String(at)}
            onChange={(event) => {
              const cell = cells[Number(event.currentTarget.value)]
              if (cell !== undefined)
                open({
                  ...place,
                  subject: cell.subject,
                  index: Math.min(place.index, Math.max(0, cell.outcomes.length - 1)),
                })
            }}
          >
            {cells.map(({ subject, n, c }, i) => (
              <option value={String(i)}>{`${visible(subject)} (${c}/${n})`}</option>
            ))}
          </select>
        </label>
      )}
    </p>
  )
}

interface MissingProps {
  readonly leftOut: LeftOut
  readonly place: Identity
  readonly cell: ViewCell | undefined
  readonly folder: string
}

function Missing({ leftOut, place, cell, folder }: MissingProps) {
  const letter = cell?.outcomes[place.index]
  if (cell === undefined || letter === undefined)
    return <p class="left-out">There is no such trial in this run.</p>
  const outcome = outcomeName(letter)
  return (
    <>
      <p>
        <span class={`badge fill-${outcome}`}>{outcome}</span>
      </p>
      {outcome === 'cancelled' ? (
        <p class="left-out">This trial was planned and never run.</p>
      ) : (
        <div class="left-out">
          <p>
            The texts of this trial are not on this page, as those of{' '}
            {counted(leftOut.trials, 'trial')}: failed and errored ones were kept first. The run
            folder has them:
          </p>
          <ShowCommand place={place} folder={folder} />
        </div>
      )}
    </>
  )
}
