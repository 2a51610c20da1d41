/**
 * A chart that is as wide as its container. It is redrawn when the width changes. If there is no chart, a text says
 * why.
 */
import type { ComponentChildren } from 'preact'
import { counted } from '../figures.ts'
import { PlainTable } from '../parts/plain-table.tsx'
import type { ChartData } from './chart-data.ts'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

export type Draw = (width: number) => Element

interface PictureProps {
  readonly title: ComponentChildren
  readonly note: string
  /** The reason why there is no chart. Null if there is one. */
  readonly why?: string | null
  readonly draw: Draw
  /** The figures of the chart, which the reader can unfold. */
  readonly data?: ChartData | (() => ChartData)
}

export function Picture({ title, note, why = null, draw, data }: PictureProps) {
  const place = useRef<HTMLDivElement>(null)
  const width = useWidth(place)
  useLayoutEffect(() => {
    if (width > 0) place.current?.replaceChildren(...(why === null ? [draw(width)] : []))
  }, [width, draw, why])
  return (
    <figure>
      <figcaption>
        <h3>{title}</h3>
        <p class="muted small">{why ?? note}</p>
      </figcaption>
      <div ref={place} class="plot" />
      {data !== undefined && why === null && <Data data={data} />}
    </figure>
  )
}

/** The figures of a chart, with full names. The table is made only when the reader unfolds it. */
export function Data({ data }: { readonly data: ChartData | (() => ChartData) }) {
  const [isOpen, setOpen] = useState(false)
  const shown = isOpen ? (typeof data === 'function' ? data() : data) : null
  return (
    <details class="no-print" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Data</summary>
      {shown !== null && (
        <>
          <PlainTable label="Data of the chart" titles={shown.titles} rows={shown.rows} />
          {(shown.leftOut ?? 0) > 0 && (
            <p class="left-out">{counted(shown.leftOut ?? 0, 'more row')} not on this page</p>
          )}
        </>
      )}
    </details>
  )
}

/** Returns the width of an element in whole pixels. It is 0 until the width is known. */
export function useWidth(place: { readonly current: Element | null }): number {
  const [width, setWidth] = useState(0)
  useEffect(() => {
    const element = place.current
    if (element === null) return undefined
    const observer = new ResizeObserver(() => setWidth(Math.floor(element.clientWidth)))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return width
}
