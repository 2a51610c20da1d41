/** The states of a run that `assay runs prune` can select. */
export const RUN_STATES = [
  'complete',
  'partial',
  'budget',
  'interrupted',
  'failed',
  'stopped',
  'unreadable',
] as const
