/** The changes that an agent made in its folder: a line per file and, if it is unfolded, the patch. */
import { unkeptWords } from 'assay/view-data'
import type { ViewChange, ViewDiff, ViewText } from '../data/source.ts'
import { bytes, count, counted } from '../figures.ts'
import { Name, Pieces } from '../text/shown.tsx'
import { useFolds } from '../hooks/use-folds.ts'
import { Collapsible } from './collapsible.tsx'

/** If there are at most this many files, all are unfolded initially. */
const FEW = 3

export function Diff({ diff }: { readonly diff: ViewDiff }) {
  const { changes, changesLeftOut, unkept } = diff
  const folds = useFolds()
  return (
    <section class="trajectory" aria-labelledby="trial-diff">
      <h3 id="trial-diff">What it changed</h3>
      {changes.length === 0 && unkept === undefined && diff.others === undefined && (
        <p class="left-out">Nothing: the folder is as it was.</p>
      )}
      {changes.length > 0 && (
        <form class="filters no-print" onSubmit={(event) => event.preventDefault()}>
          <span class="segments">
            <button type="button" onClick={() => folds.setAll(false)}>
              fold all
            </button>
            <button type="button" onClick={() => folds.setAll(true)}>
              unfold all
            </button>
          </span>
          <output class="muted small">
            {counted(changes.length + changesLeftOut, 'file')}, {sums(changes)}
          </output>
        </form>
      )}
      <ul class="steps">
        {changes.map((change, i) => {
          const isOpen = folds.isOpen(i, changes.length <= FEW)
          const { patch } = change
          return (
            <li class="step">
              {patch === undefined ? (
                <div class="fold">
                  <ChangeLine change={change} />
                </div>
              ) : (
                <Collapsible
                  isOpen={isOpen}
                  toggle={() => folds.toggle(i, isOpen)}
                  head={<ChangeLine change={change} />}
                  body={() => <Patch patch={patch} path={change.path} />}
                />
              )}
            </li>
          )
        })}
      </ul>
      {changesLeftOut > 0 && (
        <p class="left-out">{counted(changesLeftOut, 'more file')} not on this page</p>
      )}
      <OtherChanges others={diff.others} />
      {unkept !== undefined && (
        <>
          <p class="left-out">{unkeptWords(unkept.count)}</p>
          {unkept.oddities.map((oddity) => (
            <p class="left-out">
              <Name text={oddity} />
            </p>
          ))}
        </>
      )}
    </section>
  )
}

/** Shows other changes: empty folders, and unusual permissions of files. */
export function OtherChanges({ others }: { readonly others: ViewDiff['others'] }) {
  if (others === undefined) return null
  const { folders, permissions, leftOut } = others
  return (
    <>
      <ul class="steps" aria-label="Empty folders and permissions">
        {folders.map(({ path, change }) => (
          <li class="step">
            <div class="fold change-line">
              <span class={`tag change-${change}`}>{change}</span>
              <span class="change-path">
                <Name text={`${path}/`} />
              </span>
              <span class="muted small">empty folder</span>
            </div>
          </li>
        ))}
        {permissions.map(({ path, bits }) => (
          <li class="step">
            <div class="fold change-line">
              <span class="tag">permissions</span>
              <span class="change-path">
                <Name text={path} />
              </span>
              <span class="muted small">
                <Name text={bits} />
              </span>
            </div>
          </li>
        ))}
      </ul>
      {leftOut > 0 && (
        <p class="left-out">
          {counted(leftOut, 'more folder or permission', 'more folders and permissions')} not on
          this page
        </p>
      )}
    </>
  )
}

function sums(changes: readonly ViewChange[]): string {
  const sum = (which: 'added' | 'removed'): number =>
    changes.reduce((total, { lines }) => total + lines[which], 0)
  return `+${count(sum('added'))} −${count(sum('removed'))}`
}

export function ChangeLine({
  change: { path, change, lines, notes },
}: {
  readonly change: ViewChange
}) {
  return (
    <span class="change-line">
      <span class={`tag change-${change}`}>{change}</span>
      <span class="change-path">
        <Name text={path} />
      </span>
      {lines.added + lines.removed > 0 && (
        <span class="change-lines">
          <span class="plus">+{count(lines.added)}</span>{' '}
          <span class="minus">−{count(lines.removed)}</span>
        </span>
      )}
      {notes.map((note) => (
        <span class="muted small">
          <Name text={note} />
        </span>
      ))}
    </span>
  )
}

export function Patch({ patch, path }: { readonly patch: ViewText; readonly path: string }) {
  const { text, more } = typeof patch === 'string' ? { text: patch, more: 0 } : patch
  return (
    <div class="block">
      <pre class="patch" tabIndex={0} aria-label={`changes of ${path.slice(0, 100)}`}>
        {text
          .replace(/\n$/, '')
          .split('\n')
          .map((line) => (
            <span class={lineClass(line)}>
              <Pieces text={line} />
            </span>
          ))}
      </pre>
      {more > 0 && <p class="left-out">… {bytes(more)} more, not on this page</p>}
    </div>
  )
}

const CLASSES: Readonly<Record<string, string>> = { '+': 'plus', '-': 'minus', '@': 'hunk' }

const lineClass = (line: string): string => CLASSES[line.charAt(0)] ?? ''
