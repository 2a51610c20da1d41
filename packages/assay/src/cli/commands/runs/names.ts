/** The states of a run by which `assay runs prune` selects. */
export const RUN_STATES = [
  'complete',
  'partial',
  'budget',
  'interrupted',
  'failed',
  'stopped',
  'unreadable',
] as const
