/** Shows the outcomes of the trials of one subject on one case, as a row of small bars. */
import { counted } from '../figures.ts'
import { OUTCOMES } from '../outcomes.ts'

const MOST = 40
const STEP = 5

export function Strip({ outcomes }: { readonly outcomes: string }) {
  const shown = outcomes.slice(0, MOST)
  const said = OUTCOMES.map(({ letter, name }) => ({
    name,
    d: shown
      .split('')
      .map((one, i) =>
        one === letter
          ? `M${i * STEP} ${letter === 'p' ? 6 : 0}h4v${letter === 'p' ? 8 : 14}h-4z`
          : '',
      )
      .join(''),
  }))
  return (
    <span class="strip">
      <svg
        width={shown.length * STEP}
        height={14}
        role="img"
        aria-label={`${counted(outcomes.length, 'trial')}: ${spelled(shown)}`}
      >
        {said.map(({ name, d }) => d !== '' && <path d={d} class={`square fill-${name}`} />)}
      </svg>
      {outcomes.length > MOST && <small>+{outcomes.length - MOST}</small>}
    </span>
  )
}

const spelled = (letters: string): string =>
  OUTCOMES.flatMap(({ letter, name }) => {
    const times = letters.split(letter).length - 1
    return times === 0 ? [] : [`${times} ${name}`]
  }).join(', ')
