/**
 * A chart that is as wide as its container and is redrawn when the width changes. If there is no chart, a text
 * says why.
 */
import type { ComponentChildren } from 'preact'
import { PlainTable } from '../parts/plain-table.tsx'
import type { ChartData } from './chart-data.ts'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

export type Draw = (width: number) => Element

interface PictureProps {
  readonly title: ComponentChildren
  readonly note: string
  /** Says why there is no chart; null if there is one. */
  readonly why?: string | null
  readonly draw: Draw
  /** The figures of the chart, which the reader can unfold. */
  readonly data?: ChartData
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
      {data !== undefined && why === null && (
        <details class="no-print">
          <summary>Data</summary>
          <PlainTable label="Data of the chart" {...data} />
        </details>
      )}
    </figure>
  )
}

/** Returns the width of an element in whole pixels; 0 until it is known. */
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
