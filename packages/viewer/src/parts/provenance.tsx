/** Shows the provenance of the figures: everything that a reader needs to reproduce or check them. */
import type { ComponentChildren } from 'preact'
import type { ViewReport } from '../data/source.ts'
import { counted, dollars, moment, NONE, time } from '../figures.ts'
import { Name } from '../text/shown.tsx'
import { PlainTable } from './plain-table.tsx'

export function Provenance({ report }: { readonly report: ViewReport }) {
  const { provenance, run } = report
  const { tool, log, scoring } = provenance
  const toolchains = Object.entries(provenance.toolchains)
  return (
    <section aria-labelledby="provenance">
      <h2 id="provenance">Provenance</h2>
      <dl>
        <Fact name="run">
          <Name text={run.id} />
        </Fact>
        {provenance.experiment !== undefined && (
          <Fact name="experiment">
            <Name text={provenance.experiment} />
          </Fact>
        )}
        <Fact name="started">{run.createdAt === null ? NONE : moment(run.createdAt)}</Fact>
        <Fact name="ended">{run.endedAt === null ? NONE : moment(run.endedAt)}</Fact>
        <Fact name="tool">
          {tool === null ? (
            NONE
          ) : (
            <Name text={`assay ${tool.version}, node ${tool.node}, ${tool.platform}`} />
          )}
        </Fact>
        <Fact name="seed">{provenance.seed ?? NONE}</Fact>
        <Fact name="time limits">
          answer {time(provenance.timeoutMs)}
          {provenance.agentTimeoutMs !== undefined && `, agent ${time(provenance.agentTimeoutMs)}`},
          grading {time(provenance.gradeTimeoutMs)}
        </Fact>
        <Fact name="budget">
          {provenance.budgetUsd === null ? 'none' : dollars(provenance.budgetUsd)}
        </Fact>
        <Fact name="prices">
          <Prices source={provenance.prices} />
        </Fact>
        <Fact name="sandbox">
          <Name text={provenance.sandbox ?? NONE} />
        </Fact>
        <Fact name="toolchains">
          <Name
            text={
              toolchains.length === 0
                ? NONE
                : toolchains.map(([name, version]) => `${name} ${version}`).join(', ')
            }
          />
        </Fact>
        <Fact name="plan">{counted(provenance.revisions, 'revision')}</Fact>
        <Fact name="log">
          {`${counted(log.replaced, 'trial')} replaced, ${counted(log.damaged, 'line')} damaged, ${log.foreign} of other plans${log.torn ? ', its end torn off' : ''}`}
        </Fact>
        {provenance.origin !== null && (
          <Fact name="computed from">
            <Name text={provenance.origin} most={2000} />
          </Fact>
        )}
        <Fact name="scoring">
          <details>
            <summary>version {scoring.version}: weights and thresholds</summary>
            <Data value={scoring} />
          </details>
        </Fact>
        {provenance.suites.map((suite) => (
          <Fact name="suite">
            <Name text={suite.name} />{' '}
            <small>
              <Name text={`${suite.path} · ${suite.format} · ${short(suite.hash)}`} />
              {suite.gradersHash !== null && (
                <Name text={` · graders ${short(suite.gradersHash)}`} />
              )}
              {suite.threshold !== null && ` · threshold ${suite.threshold}`}
            </small>
          </Fact>
        ))}
        {provenance.subjects.map((subject) => (
          <Fact name="subject">
            <details>
              <summary>
                <Name text={subject.id} />{' '}
                <small>
                  <Name text={`${subject.kind} · ${subject.source} · ${short(subject.hash)}`} />
                </small>
              </summary>
              <Data value={subject.config} />
            </details>
          </Fact>
        ))}
      </dl>
    </section>
  )
}

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

const Data = ({ value }: { readonly value: unknown }) => (
  <pre>
    <Name text={JSON.stringify(value ?? null, null, 2)} most={20_000} />
  </pre>
)

const short = (hash: string): string => (/^[0-9a-f]{32,}$/.test(hash) ? hash.slice(0, 12) : hash)

interface PriceSource {
  readonly catalogue?: { readonly name?: unknown; readonly version?: unknown }
  readonly file?: { readonly path?: unknown; readonly sha256?: unknown } | null
}

/** Shows the sources of the prices as a table. A text that cannot be parsed is shown unchanged. */
function Prices({ source }: { readonly source: string | null }) {
  const rows = priceRows(source)
  return rows === null ? (
    <Name text={source ?? NONE} />
  ) : (
    <PlainTable label="Sources of the prices" titles={['source', 'name', 'version']} rows={rows} />
  )
}

/**
 * Returns the sources of the prices as rows. A price in the user's file overrides the catalogue, so the file comes
 * first.
 */
export function priceRows(source: string | null): string[][] | null {
  try {
    const { catalogue, file } = JSON.parse(source ?? '') as PriceSource
    const rows = [
      ...(file == null ? [] : [['price file', file.path, file.sha256]]),
      ...(catalogue == null ? [] : [['catalogue', catalogue.name, catalogue.version]]),
    ]
    if (rows.length === 0 || !rows.flat().every((cell) => typeof cell === 'string')) return null
    return (rows as string[][]).map(([kind = '', name = '', version = '']) => [
      kind,
      name,
      short(version),
    ])
  } catch {
    return null
  }
}
