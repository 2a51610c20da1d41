/** The table of the matrix. The arrow keys move between cells, and Enter opens the trial of a cell. */
import { Fragment } from 'preact'
import { useMemo } from 'preact/hooks'
import type { MatrixCell, MatrixRow, ViewMatrix, Workbench } from '../data/workbench-source.ts'
import { bytes, fixed } from '../figures.ts'
import { caseHash, trialHash } from '../pages/routes.ts'
import { answerDiff } from '../text/answer-diff.ts'
import { Name, Pieces } from '../text/shown.tsx'
import { Acts } from './acts.tsx'
import { Strip } from './strip.tsx'

interface MatrixTableProps {
  readonly matrix: ViewMatrix
  /** The index of the column that the others are compared with. −1 means none. */
  readonly base: number
  readonly chooseBase: (base: number) => void
  readonly remove: ((column: number) => void) | null
  readonly workbench: Workbench
  /** Whether the page shows a single case. Everything about the case is then unfolded. */
  readonly isOneCase: boolean
}

const STEPS: Readonly<Record<string, readonly [rows: number, columns: number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
}

function move(event: KeyboardEvent): void {
  const cell = (event.target as Element).closest('[data-at]')
  const step = STEPS[event.key]
  if (cell === null || event.target !== cell) return
  if (event.key === 'Enter') cell.querySelector('a')?.click()
  if (step === undefined) return
  const [row = 0, column = 0] = (cell.getAttribute('data-at') ?? '').split(' ').map(Number)
  const next = document.querySelector<HTMLElement>(
    `[data-at="${row + step[0]} ${column + step[1]}"]`,
  )
  if (next === null) return
  event.preventDefault()
  next.focus()
}

export function MatrixTable(props: MatrixTableProps) {
  const { matrix, base, chooseBase, remove, workbench, isOneCase } = props
  return (
    <>
      <div class="scroll" tabIndex={0} role="region" aria-label="Answers" onKeyDown={move}>
        <table class="matrix">
          <caption class="unseen">Answers of each subject to each case</caption>
          <thead>
            <tr>
              <th scope="col">case</th>
              {matrix.columns.map(({ subject, folder }, i) => (
                <th scope="col">
                  <b>
                    <Name text={subject} most={80} />
                  </b>
                  <small>
                    <Name text={folder} most={100} />
                  </small>
                  <span class="column-tools no-print">
                    {matrix.columns.length > 1 && (
                      <button
                        type="button"
                        class="plain"
                        onClick={() => chooseBase(i === base ? -1 : i)}
                      >
                        {i === base ? 'hide differences' : 'show differences to this'}
                      </button>
                    )}
                    {remove !== null && (
                      <button
                        type="button"
                        class="quiet"
                        aria-label={`remove the column ${subject.slice(0, 80)}`}
                        onClick={() => remove(i)}
                      >
                        remove
                      </button>
                    )}
                  </span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {matrix.rows.map((row, r) => (
              <Fragment key={row.case}>
                <tr>
                  <th scope="row">
                    <a href={caseHash(matrix.suite, row.case)}>
                      <Name text={row.case} most={80} />
                    </a>
                    {row.name !== '' && row.name !== row.case && (
                      <small>
                        <Name text={row.name} most={80} />
                      </small>
                    )}
                  </th>
                  {row.cells.map((cell, c) => (
                    <td tabIndex={r === 0 && c === 0 ? 0 : -1} data-at={`${r} ${c}`}>
                      <ColumnName matrix={matrix} column={c} />
                      {cell === null ? (
                        <span class="muted">not in this run</span>
                      ) : (
                        <Cell matrix={matrix} row={row} cell={cell} column={c} base={base} />
                      )}
                    </td>
                  ))}
                </tr>
                {row.cells.some((cell) => cell?.trial?.acted === true) && (
                  <tr class="acts-line">
                    <td colSpan={matrix.columns.length + 1}>
                      <Acts {...{ workbench, matrix, row }} isOpenAtFirst={isOneCase} />
                    </td>
                  </tr>
                )}
              </Fragment>
            ))}
          </tbody>
        </table>
      </div>
      <p class="muted small">
        <span class="no-print">Arrow keys move between answers, Enter opens a trial.</span>
      </p>
    </>
  )
}

/**
 * The subject's name inside a cell. On a narrow page, the cells of a row are below each other, and without the name
 * a reader could not tell whose answer each cell shows.
 */
function ColumnName({ matrix, column }: { readonly matrix: ViewMatrix; readonly column: number }) {
  const { run = '', subject = '', folder = '' } = matrix.columns[column] ?? {}
  return (
    <p class="column-name" aria-hidden="true">
      <b>
        <Name text={subject} most={80} />
      </b>
      {matrix.columns.some((other) => other.run !== run) && (
        <small>
          <Name text={folder} most={100} />
        </small>
      )}
    </p>
  )
}

interface CellProps {
  readonly matrix: ViewMatrix
  readonly row: MatrixRow
  readonly cell: MatrixCell
  readonly column: number
  readonly base: number
}

function Cell({ matrix, row, cell, column, base }: CellProps) {
  const { run = '', subject = '' } = matrix.columns[column] ?? {}
  const { trial, index, outcomes } = cell
  const href = trialHash(run, { suite: matrix.suite, case: row.case, subject, index })
  const other = column === base ? null : (row.cells[base]?.trial?.answer ?? null)
  return (
    <>
      <p class="cell-head">
        <a href={href} class={`badge fill-${trial?.outcome ?? 'cancelled'}`}>
          {trial?.outcome ?? 'not run'}
        </a>
        {trial !== null && <span class="muted small">{fixed(trial.score)}</span>}
        <Strip outcomes={outcomes} />
      </p>
      {trial !== null &&
        (trial.isLeftOut === true ? (
          <p class="muted small">The answer is not on this site.</p>
        ) : trial.answer === null ? (
          <p class="muted small">There was no answer.</p>
        ) : (
          <Answer text={trial.answer} other={other} isCode={row.isCode} />
        ))}
    </>
  )
}

type Text = NonNullable<NonNullable<MatrixCell['trial']>['answer']>

const whole = (text: Text) => (typeof text === 'string' ? { text, more: 0 } : text)

interface AnswerProps {
  readonly text: Text
  readonly other: Text | null
  readonly isCode: boolean
}

function Answer({ text, other, isCode }: AnswerProps) {
  const { text: shown, more } = whole(text)
  const base = other === null ? null : whole(other).text
  const parts = useMemo(
    () => (base === null || base === shown ? null : answerDiff(base, shown, isCode)),
    [base, shown, isCode],
  )
  return (
    <>
      <pre class="answer">
        {parts === null ? (
          <Pieces text={shown} />
        ) : (
          parts.map(({ text: part, kind }) =>
            kind === 'same' ? (
              <Pieces text={part} />
            ) : kind === 'added' ? (
              <ins>
                <Pieces text={part} />
              </ins>
            ) : (
              <del>
                <Pieces text={part} />
              </del>
            ),
          )
        )}
      </pre>
      {base === shown && <p class="muted small">the same answer</p>}
      {base !== null && base !== shown && parts === null && (
        <p class="muted small">unlike the other answer, so both are shown whole</p>
      )}
      {more > 0 && <p class="left-out">… {bytes(more)} more, on the page of the trial</p>}
    </>
  )
}
