/** The charts of a suite, with controls to choose the subjects that they show. */
import { useEffect, useMemo, useState } from 'preact/hooks'
import type { Identity, LeftOut, ViewCase, ViewCell, ViewSubject } from '../data/source.ts'
import { fixed, percent } from '../figures.ts'
import { intervalText } from '../interval-text.ts'
import { costData, drawCost, whyNoCost } from '../pictures/cost.ts'
import { curvesData, curvesNote, drawCurves, whyNoCurves } from '../pictures/curves.ts'
import { dotsData, drawDots } from '../pictures/dots.ts'
import { Grid } from '../pictures/grid.tsx'
import { Picture } from '../pictures/picture.tsx'
import { colored } from '../pictures/subject-colors.ts'
import { Name } from '../text/shown.tsx'
import { visible } from '../text/visible.ts'

interface PicturesProps {
  readonly rows: readonly ViewSubject[]
  readonly cells: readonly ViewCell[]
  readonly cases: ReadonlyMap<string, ViewCase>
  readonly leftOut: LeftOut
  readonly open: (place: Identity) => void
}

/**
 * The number of subjects that the charts show initially. A chart with more lines is hard to read. The reader
 * can choose other subjects.
 */
const AT_FIRST = 8

export function Pictures({ rows, cells, cases, leftOut, open }: PicturesProps) {
  const all = useMemo(() => colored(rows), [rows])
  const [off, setOff] = useState<ReadonlySet<string>>(new Set())
  useEffect(() => setOff(new Set(all.slice(AT_FIRST).map(({ subject }) => subject))), [all])
  const shown = useMemo(() => all.filter(({ subject }) => !off.has(subject)), [all, off])
  const toggle = (subject: string): void => {
    const next = new Set(off)
    if (!next.delete(subject)) next.add(subject)
    setOff(next)
  }
  const interval = intervalText(rows)
  const note = interval === null ? '' : `Dot: estimate. Line: ${interval}.`
  return (
    <section aria-labelledby="pictures">
      <h2 id="pictures">Pictures</h2>
      {all.length > 1 && (
        <div class="chips" role="group" aria-label="Subjects in the pictures">
          {all.map(({ subject, label, color }) => (
            <button type="button" aria-pressed={!off.has(subject)} onClick={() => toggle(subject)}>
              <i class="swatch" style={{ background: color }} aria-hidden="true" />
              {label !== visible(subject) && <b>{label}</b>} <Name text={subject} most={160} />
            </button>
          ))}
        </div>
      )}
      <div class="pictures">
        <Picture
          title="Pass rate"
          note={note}
          draw={useMemo(() => drawDots(shown, ({ row }) => row.passRate, percent), [shown])}
          data={dotsData(shown, ({ row }) => row.passRate, percent)}
        />
        <Picture
          title="Mean score"
          note={note}
          draw={useMemo(() => drawDots(shown, ({ row }) => row.meanScore, fixed), [shown])}
          data={dotsData(shown, ({ row }) => row.meanScore, fixed)}
        />
        <Picture
          title="pass@k and pass^k"
          note={`Solid: at least one of k trials passes. Dashed: all of k pass.${curvesNote(shown)}`}
          why={whyNoCurves(shown)}
          draw={useMemo(() => drawCurves(shown), [shown])}
          data={curvesData(shown)}
        />
        <Picture
          title="Cost against pass rate"
          note="Dashed: the frontier. No subject is both cheaper and better than one on it."
          why={whyNoCost(shown)}
          draw={useMemo(() => drawCost(shown), [shown])}
          data={costData(shown)}
        />
      </div>
      <Grid subjects={shown} cells={cells} cases={cases} leftOut={leftOut} open={open} />
    </section>
  )
}
