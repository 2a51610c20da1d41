/** Shows what the judges of a case are asked. */
import type { ViewRubric } from 'assay/view-data'
import type { ViewCase } from '../data/source.ts'
import { counted } from '../figures.ts'
import { Block, Name } from '../text/shown.tsx'

/** Returns the rubrics of a case. Cases with the same rubrics have them only once in the data. */
export const rubricsIn = (
  cases: readonly ViewCase[],
  { rubrics, rubricsLike }: Pick<ViewCase, 'rubrics' | 'rubricsLike'>,
): readonly ViewRubric[] =>
  rubrics ??
  (rubricsLike === undefined
    ? []
    : (cases.find((other) => other.case === rubricsLike)?.rubrics ?? []))

interface RubricsProps {
  readonly rubrics: readonly ViewRubric[]
  readonly isOpen: boolean
}

export const Rubrics = ({ rubrics, isOpen }: RubricsProps) => (
  <>
    {rubrics.map((rubric) => (
      <details open={isOpen} class="rubric">
        <summary>
          What the judge is asked
          {rubrics.length > 1 && (
            <>
              {' '}
              (<Name text={rubric.name} />)
            </>
          )}
        </summary>
        <p class="muted small">{about(rubric)}</p>
        <ul>
          {rubric.criteria.map(({ id, text, weight, scale }) => (
            <li>
              <b>
                <Name text={id} />
              </b>{' '}
              <span class="muted small">
                {[
                  scale === null ? 'met or not met' : `from ${scale[0]} to ${scale[1]}`,
                  ...(weight === 1 ? [] : [`weight ${Number(weight.toPrecision(3))}`]),
                ].join(', ')}
              </span>
              <Block text={text} label="criterion" />
            </li>
          ))}
        </ul>
        {rubric.instructions !== '' && (
          <>
            <p class="muted small">The judge also reads:</p>
            <Block text={rubric.instructions} label="instructions" />
          </>
        )}
      </details>
    ))}
  </>
)

const about = ({ judges, criteria, threshold }: ViewRubric) => (
  <>
    {counted(criteria.length, 'criterion', 'criteria')}
    {judges.length > 0 && (
      <>
        , judged by <Name text={judges.join(', ')} most={500} />
      </>
    )}
    {threshold !== null && `; an answer passes from a score of ${Number(threshold.toPrecision(3))}`}
  </>
)
