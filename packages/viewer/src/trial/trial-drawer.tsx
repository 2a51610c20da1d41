/** A drawer at the side of the page that shows one trial. */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { DataSource, Identity, LeftOut } from '../data/source.ts'
import { TrialView } from './trial-view.tsx'

interface TrialDrawerProps {
  readonly source: Omit<DataSource, 'head'>
  readonly leftOut: LeftOut
  readonly place: Identity
  readonly open: (place: Identity | null) => void
  /** Links to other pages, if there are any. */
  readonly links?: ComponentChildren
  readonly folder?: string | undefined
  /** The command that runs the trial again. Null or absent if it is unknown. */
  readonly rerun?: string | null
}

export function TrialDrawer({
  source,
  leftOut,
  place,
  open,
  links,
  folder,
  rerun = null,
}: TrialDrawerProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  // If another page replaces the drawer, closing the dialog must not change the address.
  const isShown = useRef(true)
  useEffect(() => {
    const shown = dialog.current
    shown?.showModal()
    return () => {
      isShown.current = false
      shown?.close()
    }
  }, [])
  useEffect(() => dialog.current?.scrollTo({ top: 0 }), [place.case])
  return (
    <dialog
      ref={dialog}
      class="drawer"
      aria-labelledby="trial-case"
      onClose={() => {
        if (isShown.current) open(null)
      }}
      onClick={(event) => {
        // The target of a click is the dialog element itself only if the click was on the backdrop, outside the
        // drawer.
        if (event.target === event.currentTarget) dialog.current?.close()
      }}
    >
      <div class="drawer-page">
        <TrialView
          source={source}
          leftOut={leftOut}
          place={place}
          open={open}
          folder={folder}
          aside={
            <button
              type="button"
              class="close"
              aria-label="Close"
              onClick={() => dialog.current?.close()}
            >
              ✕
            </button>
          }
          links={
            <>
              {links}
              {rerun !== null && (
                <p class="small">
                  Run it again: <code>{rerun}</code>
                </p>
              )}
            </>
          }
        />
      </div>
    </dialog>
  )
}
