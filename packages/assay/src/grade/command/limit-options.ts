/** The options with which a suite limits a grading command. All graders that run a command have them. */
import { z } from 'zod'
import { timeSchema } from '@assay/code'

export const limitOptions = {
  timeout: timeSchema
    .optional()
    .describe(
      'Processor time of the command and all that it starts, such as "30s". On the clock it has four times as much. In a workspace 10 minutes unless given, else the run’s grade timeout.',
    ),
  idleTimeout: timeSchema
    .optional()
    .describe(
      'How long the command may use no processor while nothing in it is ready to run: 60 seconds unless given, and at most its timeout.',
    ),
  processes: z
    .int()
    .min(1)
    .max(65_536)
    .optional()
    .describe('Processes and threads at the same time: 4096 in a workspace, else 64.'),
  openFiles: z
    .int()
    .min(16)
    .max(1_048_576)
    .optional()
    .describe('Open files of each process: 65536 in a workspace, else 256.'),
}
