/** The control that selects the suite to show. It appears only if the run had several suites. */
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
