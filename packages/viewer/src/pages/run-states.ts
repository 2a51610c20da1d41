/** The states of a run, as the pages call them. */
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
