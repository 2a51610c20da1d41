/** One step of a trajectory: a summary line and, if the step is unfolded, its texts below. */
import type { ComponentChildren } from 'preact'
import { offset, shortCount, tokenWords } from 'assay/view-data'
import type { ViewStep } from '../data/source.ts'
import { dollars, time } from '../figures.ts'
import { gistOf, labelOf } from '../find-steps.ts'
import { Block, Name } from '../text/shown.tsx'
import { Collapsible } from './collapsible.tsx'

interface StepProps {
  readonly step: ViewStep
  /** The duration of the whole trajectory. */
  readonly totalMs: number
  readonly isOpen: boolean
  readonly toggle: () => void
}

export function Step({ step, totalMs, isOpen, toggle }: StepProps) {
  const head = <Line step={step} totalMs={totalMs} />
  if (step.kind === 'file-change' || step.kind === 'skill' || step.kind === 'request')
    return <div class="fold">{head}</div>
  return (
    <Collapsible isOpen={isOpen} toggle={toggle} head={head} body={() => <Body step={step} />} />
  )
}

/** Whether a step is unfolded at first. Messages of the agent, errors and failed tool calls are. */
export const isOpenAtFirst = (step: ViewStep): boolean =>
  (step.kind === 'message' && step.role === 'assistant') ||
  step.kind === 'error' ||
  (step.kind === 'tool-call' && step.failed === true)

function Line({ step, totalMs }: Pick<StepProps, 'step' | 'totalMs'>) {
  const isText = 'text' in step
  return (
    <span class="step-line">
      <span class="step-at">{offset(step.at)}</span>
      <b class="step-label">
        <Name text={labelOf(step)} most={60} />
      </b>
      <span class={isText ? 'step-gist step-text' : 'step-gist'}>
        <Name text={gistOf(step)} />
      </span>
      <span class="step-facts">
        {(step.kind === 'tool-call' || step.kind === 'request') && <CallFacts step={step} />}
        {'claimed' in step && (
          <span
            class="badge"
            title="Only the agent says so: its requests to its model do not show it"
          >
            claimed
          </span>
        )}
        {step.usage !== undefined && (
          <span title={`tokens: ${tokenWords(step.usage)}`}>
            <span aria-hidden="true">
              {shortCount(step.usage.input + step.usage.cacheRead + step.usage.cacheWrite)} →{' '}
              {shortCount(step.usage.output)}
            </span>
            <span class="unseen">tokens: {tokenWords(step.usage)}</span>
          </span>
        )}
        {step.usd !== undefined && <span>{dollars(step.usd)}</span>}
      </span>
      <i class="step-when" aria-hidden="true" style={placeOf(step, totalMs)} />
    </span>
  )
}

type Timed = Extract<ViewStep, { kind: 'tool-call' | 'request' }>

function CallFacts({ step }: { readonly step: Timed }) {
  return (
    <>
      {step.failed === true && <span class="badge fill-failed">failed</span>}
      <span>{step.ms === null ? 'no result' : time(step.ms)}</span>
    </>
  )
}

/** Returns the position of a step on the time line of the whole trajectory, in percent. */
function placeOf(step: ViewStep, totalMs: number): { left: string; width: string } {
  const whole = Math.max(1, totalMs)
  const left = Math.min(99.5, (100 * step.at) / whole)
  const ms = 'ms' in step ? (step.ms ?? 0) : 0
  const width = Math.min(100 - left, Math.max(0.5, (100 * ms) / whole))
  return { left: `${left.toFixed(2)}%`, width: `${width.toFixed(2)}%` }
}

function Body({ step }: { readonly step: ViewStep }): ComponentChildren {
  return (
    <div class="step-body">
      {step.kind === 'tool-call' && (
        <>
          <p class="small muted">Arguments</p>
          <Block text={step.args} label="arguments" />
          <p class="small muted">Result</p>
          {step.result === null ? (
            <p class="left-out">No result came.</p>
          ) : (
            <Block text={step.result} label="result" />
          )}
        </>
      )}
      {step.kind === 'other' && <Block text={step.raw} label="event" />}
      {'text' in step && <Block text={step.text} label={labelOf(step)} />}
      {step.usage !== undefined && <p class="small muted">tokens: {tokenWords(step.usage)}</p>}
    </div>
  )
}
