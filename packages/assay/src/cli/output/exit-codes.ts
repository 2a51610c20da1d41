/** The meanings of the exit codes of every command. The reference page is generated from this table. */
export const EXIT_MEANINGS = {
  0: 'Done, and gates hold. That trials failed does not make it a failed run.',
  1: 'A gate, a threshold or a check for regressions failed.',
  2: 'Wrong usage or invalid input. Nothing was started.',
  3: 'The run is invalid or incomplete: nothing was scored, more trials errored than `--max-errors` allows, the budget or a provider that was given up stopped it, nothing could be compared, or the log or the output could not be written.',
  130: 'Interrupted. The state is saved, and the command that continues the run is printed.',
} as const

/** Exit code for a user error that was found before anything started. */
export const EXIT_USAGE = 2
/** Exit code for a run that is invalid or incomplete, or whose log or output could not be written. */
export const EXIT_RUN = 3
