/**
 * A region that scrolls sideways if its table is wider than the page. A table can be cut exactly between two columns,
 * where a shadow at the edge is easily missed. So a line above the table says that there is more.
 */
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'

interface ScrollProps {
  /** The name of the region for screen readers. */
  readonly label: string
  /** Whether each row of the table becomes a block on a narrow page. */
  readonly isStacked?: boolean
  readonly children: ComponentChildren
}

/** Positions are rounded by browsers, so less than this many pixels count as nothing. */
const ROUNDING_PX = 2

export function Scroll({ label, isStacked = false, children }: ScrollProps) {
  const region = useRef<HTMLDivElement>(null)
  const [isCut, setCut] = useState(false)
  const measure = (): void => {
    const { current } = region
    if (current === null) return
    const hidden = current.scrollWidth - current.clientWidth - current.scrollLeft
    setCut(hidden > ROUNDING_PX)
  }
  // New rows can make the table wider, so it is measured after each rendering.
  useLayoutEffect(measure)
  useLayoutEffect(() => {
    const { current } = region
    if (current === null) return undefined
    const observer = new ResizeObserver(measure)
    observer.observe(current)
    return () => observer.disconnect()
  }, [])
  return (
    <div class={isStacked ? 'scrolls stacked' : 'scrolls'}>
      <p class="more-right no-print" hidden={!isCut} aria-hidden="true">
        more columns →
      </p>
      <div
        ref={region}
        class="scroll"
        tabIndex={0}
        role="region"
        aria-label={label}
        onScroll={measure}
      >
        {children}
      </div>
    </div>
  )
}
