/** Shows the verdicts that people gave to a trial, with their notes. */
import type { ReviewedLabel } from '../data/workbench-source.ts'
import { Name } from '../text/shown.tsx'

interface GivenLabelsProps {
  readonly labels: readonly ReviewedLabel[]
  /** The person in front of the page. Empty if no name was entered yet. */
  readonly reviewer: string
}

/** One list item per label. The caller makes the list. */
export const GivenLabels = ({ labels, reviewer }: GivenLabelsProps) => (
  <>
    {labels.map(({ label }) => (
      <li>
        <Name text={label.reviewer === reviewer ? `you (${label.reviewer})` : label.reviewer} />:{' '}
        <strong>{label.verdict}</strong>
        {label.note !== '' && (
          <>
            {' — '}
            <Name text={label.note} most={4000} />
          </>
        )}
      </li>
    ))}
  </>
)
