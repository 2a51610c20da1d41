/**
 * A grid with every trial as a square, coloured by its outcome. It has a row per case, a block of columns per
 * subject, and a column per trial. All squares of one outcome are one SVG path, and all equal letters of a
 * row are one text element, so that thousands of squares render fast. Cases and trials that do not fit are on
 * further pages. The arrow keys move a cursor, and Enter opens the trial under the cursor.
 */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Identity, LeftOut, ViewCase, ViewCell } from '../data/source.ts'
import { counted } from '../figures.ts'
import { OUTCOMES, outcomeName } from '../outcomes.ts'
import { Pager } from '../parts/pager.tsx'
import { brief, visible } from '../text/visible.ts'
import { drawing, gridData, longest, moved, rowsOf, STEPS, type GridRow } from './grid-drawing.ts'
import { CHARACTER, gridLayout, placeAt, type GridLayout, type GridPlace } from './grid-layout.ts'
import { distinctLabels } from './distinct-labels.ts'
import { Data, useWidth } from './picture.tsx'
import type { Shown } from './subject-colors.ts'

interface GridProps {
  readonly subjects: readonly Shown[]
  readonly cells: readonly ViewCell[]
  readonly cases: ReadonlyMap<string, ViewCase>
  readonly leftOut: LeftOut
  readonly open: (place: Identity) => void
}

const ROWS = 40
const ORDERS = { suite: 'as in the suite', worst: 'worst first' } as const

export function Grid({ subjects, cells, cases, leftOut, open }: GridProps) {
  const [order, setOrder] = useState<keyof typeof ORDERS>('suite')
  const rows = useMemo(() => rowsOf(subjects, cells, order), [subjects, cells, order])
  const trials = useMemo(() => longest(subjects, cells), [subjects, cells])
  const [firstRow, setFirstRow] = useState(0)
  const [firstTrial, setFirstTrial] = useState(0)
  useEffect(() => {
    setFirstRow(0)
    setFirstTrial(0)
  }, [rows])
  const place = useRef<HTMLDivElement>(null)
  const width = useWidth(place)
  const page = useMemo(() => rows.slice(firstRow, firstRow + ROWS), [rows, firstRow])
  const label = page.reduce((most, row) => Math.max(most, row.case.length), 0)
  const layout = gridLayout({ width, rows: page.length, label, trials, from: firstTrial })
  return (
    <figure class="grid">
      <figcaption>
        <h3>Cases × trials</h3>
        <p class="muted small">
          {counted(rows.length, 'case')}, a square for each trial. Click one to unfold it.
          {leftOut.cases > 0 &&
            ` ${counted(leftOut.cases, 'more case')} with the best pass rates are not on this page.`}
        </p>
        <div class="legend">
          {OUTCOMES.map(({ letter, name }) => (
            <span>
              <i class={`key fill-${name}`} aria-hidden="true">
                {letter}
              </i>
              {name}
            </span>
          ))}
          <label class="no-print">
            Cases{' '}
            <select
              value={order}
              onChange={(event) => setOrder(event.currentTarget.value as typeof order)}
            >
              {Object.entries(ORDERS).map(([key, title]) => (
                <option value={key}>{title}</option>
              ))}
            </select>
          </label>
        </div>
      </figcaption>
      <div ref={place} class="scroll">
        {width > 0 && rows.length > 0 && (
          <Squares
            layout={layout}
            rows={page}
            from={firstTrial}
            subjects={subjects}
            cases={cases}
            open={open}
          />
        )}
      </div>
      <div class="pagers">
        <Pager what="cases" from={firstRow} size={ROWS} total={rows.length} turn={setFirstRow} />
        <Pager
          what="trials"
          from={firstTrial}
          size={layout.window}
          total={Math.max(0, ...trials)}
          base={0}
          turn={setFirstTrial}
        />
      </div>
      {rows.length > 0 && <Data data={() => gridData(subjects, page, cases)} />}
    </figure>
  )
}

interface SquaresProps {
  readonly layout: GridLayout
  readonly rows: readonly GridRow[]
  readonly from: number
  readonly subjects: readonly Shown[]
  readonly cases: ReadonlyMap<string, ViewCase>
  readonly open: (place: Identity) => void
}

function Squares({ layout, rows, from, subjects, cases, open }: SquaresProps) {
  const [cursor, setCursor] = useState<GridPlace | null>(null)
  const [isFocused, setFocused] = useState(false)
  const drawn = useMemo(
    () => drawing(layout, rows, from),
    [layout.width, layout.cellWidth, rows, from],
  )
  const at = (place: GridPlace | null): Identity | null => {
    const cell = place === null ? undefined : rows[place.row]?.cells[place.block]
    if (place === null || cell === undefined) return null
    const index = from + place.column
    if (index >= cell.outcomes.length) return null
    return { suite: cell.suite, case: cell.case, subject: cell.subject, index }
  }
  const pointed = (event: MouseEvent): GridPlace | null => {
    const box = (event.currentTarget as Element).getBoundingClientRect()
    return placeAt(layout, event.clientX - box.left, event.clientY - box.top)
  }
  const unfold = (place: GridPlace | null): void => {
    const trial = at(place)
    if (trial !== null) open(trial)
  }
  const onKey = (event: KeyboardEvent): void => {
    const step = STEPS[event.key]
    if (event.key === 'Enter') unfold(cursor)
    if (step === undefined) return
    event.preventDefault()
    setCursor(moved(layout, rows.length, cursor, step))
  }
  const trial = at(cursor)
  const labels = useMemo(
    () =>
      distinctLabels(
        rows.map((row) => row.case),
        Math.floor((layout.left - 12) / CHARACTER),
      ),
    [rows, layout.left],
  )
  const { cellWidth, rowHeight } = layout
  return (
    <>
      <svg
        width={layout.width}
        height={layout.height}
        tabIndex={0}
        role="application"
        aria-label="Cases and trials; the arrow keys move, Enter unfolds"
        aria-describedby="grid-cursor"
        onPointerMove={(event) => setCursor(pointed(event))}
        onPointerLeave={() => setCursor(null)}
        onClick={(event) => unfold(pointed(event))}
        onKeyDown={onKey}
        onFocus={() => {
          setFocused(true)
          setCursor((known) => known ?? { row: 0, block: 0, column: 0 })
        }}
        onBlur={() => {
          setFocused(false)
          setCursor(null)
        }}
      >
        {subjects.map(({ subject, label, color }, i) => (
          <text x={layout.blocks[i]?.x} y={14} class="head" style={{ fill: color }}>
            {fits(subject, layout.blockWidth) ? visible(subject) : label}
            <title>{visible(subject)}</title>
          </text>
        ))}
        {rows.map((row, i) => (
          <text x={layout.left - 10} y={layout.top + i * rowHeight + 14} class="row-head">
            {labels[i]}
            <title>{[row.case, cases.get(row.case)?.name ?? ''].map(visible).join('\n')}</title>
          </text>
        ))}
        {drawn.shapes.map(({ name, d }) => (
          <path d={d} class={`square fill-${name}`} />
        ))}
        {drawn.letters.map(({ name, xs, y, text }) => (
          <text x={xs} y={y} class={`letter on-${name}`} aria-hidden="true">
            {text}
          </text>
        ))}
        {cursor !== null && trial !== null && (
          <rect
            x={(layout.blocks[cursor.block]?.x ?? 0) + cursor.column * cellWidth - 1}
            y={layout.top + cursor.row * rowHeight}
            width={cellWidth + 1}
            height={rowHeight - 1}
            class="cursor"
          />
        )}
      </svg>
      <p id="grid-cursor" class="cursor-text small" aria-live={isFocused ? 'polite' : 'off'}>
        {trial === null
          ? '\u00a0'
          : `${brief(trial.case, 60)} · ${brief(trial.subject, 40)} · trial ${trial.index}: ${outcomeName(letterAt(rows, cursor, from))}`}
      </p>
    </>
  )
}

const letterAt = (rows: readonly GridRow[], place: GridPlace | null, from: number): string =>
  place === null ? '' : (rows[place.row]?.cells[place.block]?.outcomes[from + place.column] ?? '')

/** Whether a name is short enough to be written above its block. */
const fits = (subject: string, width: number): boolean =>
  Array.from(visible(subject)).length * 8.2 <= width
