/** Chooses the suite that the page shows, if the run had several. */
import { visible } from '../text/visible.ts'

interface SuiteChoiceProps {
  readonly suites: readonly string[]
  readonly suite: string
  readonly choose: (suite: string) => void
}

export function SuiteChoice({ suites, suite, choose }: SuiteChoiceProps) {
  if (suites.length < 2) return null
  return (
    <p class="suite-choice">
      <label>
        Suite{' '}
        <select value={suite} onChange={(event) => choose(event.currentTarget.value)}>
          {suites.map((one) => (
            <option value={one}>{visible(one)}</option>
          ))}
        </select>
      </label>
    </p>
  )
}
