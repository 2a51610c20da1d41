/** The head of the page: the run, notices such as SIMULATED, and how many trials ended with each outcome. */
import type { ComponentChildren } from 'preact'
import type { Head, ViewReport } from '../data/source.ts'
import { count, moment, time } from '../figures.ts'
import { OUTCOMES } from '../outcomes.ts'
import { Name } from '../text/shown.tsx'
import { ThemeSwitch } from './theme-switch.tsx'

interface HeaderProps {
  readonly head: Head
  readonly navigation?: ComponentChildren
  readonly status?: ComponentChildren
}

export function Header({ head, navigation, status }: HeaderProps) {
  const { report, stamps, notes } = head
  return (
    <header>
      <div class="masthead">
        {navigation ?? (
          <p class="kicker">
            Assay report · <Name text={titleOf(report)} />
          </p>
        )}
        <ThemeSwitch />
      </div>
      <h1 id="headline">
        <Name text={report.headline.sentence} most={6000} />
      </h1>
      <p class="muted">
        {about(report).join(' · ')} · run{' '}
        <span class="id">
          <Name text={report.run.id} />
        </span>
      </p>
      {status}
      {stamps.map((stamp) => (
        <Stamp text={stamp} />
      ))}
      <Counts report={report} />
      <ul class="notes">
        {notes.map((note) => (
          <li>
            <Name text={note} most={2000} />
          </li>
        ))}
      </ul>
    </header>
  )
}

/** A notice such as `SIMULATED: these answers come from …`. The word before the colon is emphasized. */
function Stamp({ text }: { readonly text: string }) {
  const at = text.indexOf(':')
  return (
    <p class="stamp" role="note">
      <strong>{text.slice(0, at)}</strong>
      <span>
        <Name text={text.slice(at + 1).trim()} most={2000} />
      </span>
    </p>
  )
}

const MOST_SUITES = 3

/** Returns the name of the experiment, or the names of the suites that ran. */
export function titleOf({
  provenance: { experiment, suites },
  run,
}: Pick<ViewReport, 'provenance' | 'run'>): string {
  if (experiment !== undefined && experiment !== '') return experiment
  const names = suites.slice(0, MOST_SUITES).map(({ id, name }) => (name === '' ? id : name))
  const more = suites.length - names.length
  if (names.length === 0) return run.id
  return names.join(', ') + (more > 0 ? ` and ${more} more` : '')
}

const STOPPED: Readonly<Record<string, string>> = {
  complete: 'complete',
  partial: 'partial: a provider was given up',
  budget: 'stopped by its budget',
  interrupted: 'interrupted',
  failed: 'stopped by a failure',
}

function about({ run, provenance }: ViewReport): string[] {
  const lasted =
    run.createdAt === null || run.endedAt === null
      ? Number.NaN
      : Date.parse(run.endedAt) - Date.parse(run.createdAt)
  return [
    ...(run.createdAt === null ? [] : [moment(run.createdAt)]),
    ...(Number.isFinite(lasted) && lasted >= 0 ? [time(lasted)] : []),
    ...(provenance.origin === null
      ? [STOPPED[provenance.stopped ?? ''] ?? 'not ended']
      : ['computed from files']),
  ]
}

function Counts({ report }: { readonly report: ViewReport }) {
  const { counts } = report
  const shown = ['passed', 'failed', 'unscored', 'errored', 'cancelled'] as const
  return (
    <div class="counts">
      <div class="share-bar" aria-hidden="true">
        {OUTCOMES.filter(({ name }) => counts[name] > 0).map(({ name }) => (
          <span class={`fill-${name}`} style={{ flexGrow: counts[name] }} />
        ))}
      </div>
      <p id="counts">
        <span>
          <b>{count(counts.planned)}</b> planned ={' '}
        </span>
        {shown.map((name, i) => (
          <span>
            {i > 0 && '+ '}
            <i class={`swatch fill-${name}`} aria-hidden="true" />
            <b>{count(counts[name])}</b> {name}{' '}
          </span>
        ))}
      </p>
    </div>
  )
}
