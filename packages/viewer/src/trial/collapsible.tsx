/** A section whose parent component folds and unfolds it. Its content is rendered only while it is unfolded. */
import type { ComponentChildren } from 'preact'

interface FoldProps {
  readonly isOpen: boolean
  readonly toggle: () => void
  readonly head: ComponentChildren
  readonly body: () => ComponentChildren
}

export function Collapsible({ isOpen, toggle, head, body }: FoldProps) {
  return (
    <details
      class="fold"
      open={isOpen}
      onToggle={(event) => {
        // The event also fires after the parent has changed `open`. But `toggle` must be called only after a click
        // by the reader.
        if (event.currentTarget.open !== isOpen) toggle()
      }}
    >
      <summary>{head}</summary>
      {isOpen && body()}
    </details>
  )
}
