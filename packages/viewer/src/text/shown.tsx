/**
 * Renders untrusted texts. They become only text nodes and never HTML. Hidden characters become visible marks. If a
 * text was cut, a note says so.
 */
import { useContext, useMemo } from 'preact/hooks'
import type { ViewText } from '../data/source.ts'
import { bytes } from '../figures.ts'
import { Found, foundPieces } from './found.ts'
import { visiblePieces } from './visible.ts'

/** A name or a single line. `<bdi>` isolates its writing direction from the text around it. */
export function Name({ text, most = 300 }: { readonly text: string; readonly most?: number }) {
  return (
    <bdi class="name">
      <Pieces text={text.length > most ? `${text.slice(0, most)}…` : text} />
    </bdi>
  )
}

/** A preformatted block with a whole text, or with the part of it that the report contains. */
export function Block({ text, label }: { readonly text: ViewText; readonly label: string }) {
  const {
    text: kept,
    more,
    gone,
  } = typeof text === 'string' ? { text, more: 0, gone: undefined } : { gone: undefined, ...text }
  if (gone === true)
    return <p class="left-out">This text ({bytes(more)}) is gone from the run folder.</p>
  return (
    <div class="block">
      <pre tabIndex={0} aria-label={label}>
        {kept === '' ? <span class="muted">(empty)</span> : <Pieces text={kept} />}
      </pre>
      {more > 0 && <p class="left-out">… {bytes(more)} more, not on this page</p>}
    </div>
  )
}

/** Renders a text with marks for hidden characters. Matches of the current search are highlighted. */
export function Pieces({ text }: { readonly text: string }) {
  const pattern = useContext(Found)
  const pieces = useMemo(() => visiblePieces(text), [text])
  return pieces.map((piece) =>
    piece.isMark ? (
      <span class="mark">{piece.text}</span>
    ) : (
      foundPieces(piece.text, pattern).map((part, i) => (i % 2 === 1 ? <mark>{part}</mark> : part))
    ),
  )
}
