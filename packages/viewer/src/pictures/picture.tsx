/** A picture as wide as its place, drawn again when the place changes; or why there is none. */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

export type Draw = (width: number) => Element

interface PictureProps {
  readonly title: string
  readonly note: string
  /** Why there is nothing to draw; null where there is. */
  readonly why?: string | null
  readonly draw: Draw
}

export function Picture({ title, note, why = null, draw }: PictureProps) {
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
    </figure>
  )
}

/** Of an element, in whole pixels; 0 until it is known. */
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
