/** A part that is folded or not, as its owner says; what is inside is made only where it is unfolded. */
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
        // It is also told when the owner did it.
        if (event.currentTarget.open !== isOpen) toggle()
      }}
    >
      <summary>{head}</summary>
      {isOpen && body()}
    </details>
  )
}
