/** A list of the reasons, other than a wrong answer, why trials did not pass. */
import type { ViewReport } from '../data/source.ts'
import { count, counted } from '../figures.ts'
import { Block, Name } from '../text/shown.tsx'

const SHOWN = 20

export function Reasons({ report: { reasons } }: { readonly report: ViewReport }) {
  if (reasons.length === 0) return null
  return (
    <section aria-labelledby="reasons">
      <h2 id="reasons">Reasons</h2>
      <p class="muted">Why trials failed or errored, beyond wrong answers.</p>
      {reasons.slice(0, SHOWN).map((reason) => (
        <details>
          <summary>
            <b>{counted(reason.count, 'trial')}</b> of <Name text={reason.subject} />{' '}
            <span class={`badge fill-${reason.outcome}`}>{reason.outcome}</span>{' '}
            <span class="tag">
              <Name text={reason.code} />
            </span>
          </summary>
          <p class="small muted">Such as:</p>
          <Block text={reason.example} label="example" />
        </details>
      ))}
      {reasons.length > SHOWN && (
        <p class="muted">and {count(reasons.length - SHOWN)} further: `assay report --json`</p>
      )}
    </section>
  )
}
