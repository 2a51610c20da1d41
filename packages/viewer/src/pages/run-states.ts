/** The texts with which the pages show the states of a run. */
import type { RunState } from '../data/workbench-source.ts'

export const STATES: Readonly<Record<RunState, string>> = {
  running: 'running',
  complete: 'complete',
  partial: 'partial: a provider was given up',
  budget: 'stopped by its budget',
  interrupted: 'interrupted',
  failed: 'stopped by a failure',
  stopped: 'stopped without an end',
  unreadable: 'cannot be read',
}
