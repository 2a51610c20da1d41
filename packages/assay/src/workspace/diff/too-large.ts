/**
 * Checks whether an agent's changes are too large to be stored. If they are, it finds the folder with most of the
 * changes, which is usually build output, and names it in the error.
 */
import { WorkspaceTooLarge, plain } from '@assay/contract'

const MOST_FILES = 5000
const MOST_BYTES = 32 * 1024 * 1024
/**
 * If a folder contains at least this share of its parent's changed files or bytes, the error names this folder instead
 * of the parent.
 */
const NEARLY_ALL = 0.8

export interface Weight {
  readonly path: string
  readonly bytes: number
}

/** Throws `WorkspaceTooLarge` if there are too many changed files or bytes. */
export function checkSize(changes: readonly Weight[]): void {
  const bytes = changes.reduce((sum, one) => sum + one.bytes, 0)
  if (changes.length > MOST_FILES)
    throw new WorkspaceTooLarge(
      `left ${changes.length} changed files, of which at most ${MOST_FILES} are kept; ${heaviest(changes, () => 1, 'files')}`,
    )
  if (bytes > MOST_BYTES)
    throw new WorkspaceTooLarge(
      `left changed files of ${bytes} bytes, of which at most ${MOST_BYTES} are kept; ${heaviest(changes, (one) => one.bytes, 'bytes')}`,
    )
}

function heaviest(
  changes: readonly Weight[],
  weigh: (one: Weight) => number,
  unit: 'files' | 'bytes',
): string {
  const largest = (parent: string): [string, number] => {
    const children = new Map<string, number>()
    for (const one of changes) {
      if (!one.path.startsWith(parent)) continue
      const end = one.path.indexOf('/', parent.length)
      const child = end === -1 ? one.path : one.path.slice(0, end + 1)
      children.set(child, (children.get(child) ?? 0) + weigh(one))
    }
    return [...children].reduce((a, b) => (b[1] > a[1] ? b : a), ['', 0])
  }
  let [folder, weight] = largest('')
  while (folder.endsWith('/')) {
    const [child, part] = largest(folder)
    if (!child.endsWith('/') || part < NEARLY_ALL * weight) break
    folder = child
    weight = part
  }
  const name = plain(folder.replace(/\/$/, ''))
  return `${weight} ${unit} of them are ${folder.endsWith('/') ? 'in ' : ''}${name}: what is not part of the result can be named in workspace.ignore`
}
