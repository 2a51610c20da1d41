/** Asks whether a run should be deleted, and deletes its folder. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { RunRow } from '../data/workbench-source.ts'
import { counted } from '../figures.ts'
import { Name } from '../text/shown.tsx'

interface DeleteDialogProps {
  readonly run: RunRow
  readonly remove: ((key: string) => Promise<void>) | null
  readonly close: () => void
}

export function DeleteDialog({ run, remove, close }: DeleteDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [fault, setFault] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  useEffect(() => {
    const shown = dialog.current
    shown?.showModal()
    return () => shown?.close()
  }, [])
  const confirm = async (): Promise<void> => {
    setBusy(true)
    try {
      await remove?.(run.key)
      close()
    } catch (error) {
      setFault((error as Error).message)
      setBusy(false)
    }
  }
  const { figures } = run
  return (
    <dialog ref={dialog} class="question" aria-labelledby="delete-title" onClose={close}>
      <h2 id="delete-title">Delete this run?</h2>
      <p>
        The folder{' '}
        <b class="id">
          <Name text={run.folder} most={400} />
        </b>{' '}
        is deleted with
        {figures === null
          ? ' everything in it'
          : ` all of its ${counted(figures.counts.planned - figures.counts.cancelled, 'recorded trial')}`}
        . This cannot be undone.
      </p>
      {fault !== null && (
        <p class="left-out" role="alert">
          <Name text={fault} most={1000} />
        </p>
      )}
      <p class="answers">
        <button type="button" onClick={() => dialog.current?.close()}>
          Keep it
        </button>
        <button type="button" class="danger" disabled={isBusy} onClick={() => void confirm()}>
          Delete it
        </button>
      </p>
    </dialog>
  )
}
