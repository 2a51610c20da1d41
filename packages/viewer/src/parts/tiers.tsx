/** Tiers side by side, where the subjects are tiers of one experiment. */
import type { ViewReport } from '../data/source.ts'
import { dollars, NONE, percent } from '../figures.ts'
import { Name } from '../text/shown.tsx'

export function Tiers({ report, suite }: { readonly report: ViewReport; readonly suite: string }) {
  const tiers = report.tiers.find((one) => one.suite === suite)
  if (tiers === undefined) return null
  return (
    <section aria-labelledby="tiers">
      <h2 id="tiers">Tiers</h2>
      <p class="muted">
        Uplift is over <Name text={tiers.baseline} />, from median composites.
      </p>
      <div class="scroll" tabIndex={0} role="region" aria-label="Tiers">
        <table>
          <caption class="unseen">Tiers</caption>
          <thead>
            <tr>
              <th scope="col">tier</th>
              {['passed', 'judged', 'composite', 'grade', 'uplift', 'relative', 'cost'].map(
                (title) => (
                  <th scope="col" class="right">
                    {title}
                  </th>
                ),
              )}
            </tr>
          </thead>
          <tbody>
            {tiers.order.map((subject, i) => {
              const row = report.subjects.find(
                (one) => one.suite === suite && one.subject === subject,
              )
              const blocks = row?.statistics
              return (
                <tr>
                  <th scope="row">
                    <Name text={subject} />
                  </th>
                  {[
                    shareOf(blocks?.pass_rate.mean),
                    shareOf(blocks?.impl_rate?.median),
                    blocks?.composite?.median?.toFixed(3) ?? NONE,
                    row?.grade?.letter ?? NONE,
                    signed(tiers.uplift_abs[i], (points) => points.toFixed(3)),
                    signed(tiers.tier_uplift[i], (part) => `${(part * 100).toFixed(1)}%`),
                    blocks?.cost_usd?.median == null ? NONE : dollars(blocks.cost_usd.median),
                  ].map((text) => (
                    <td class="right">{text}</td>
                  ))}
                </tr>
              )
            })}
          </tbody>
        </table>
      </div>
    </section>
  )
}

const shareOf = (value: number | null | undefined): string =>
  value === null || value === undefined ? NONE : percent(value)

function signed(value: number | null | undefined, write: (value: number) => string): string {
  if (value === null || value === undefined) return NONE
  return value < 0 ? write(value) : `+${write(value)}`
}
