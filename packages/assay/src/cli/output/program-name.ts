/**
 * Returns the command to show in suggestions. If npm started Assay, `assay` may not be on the PATH, and the command
 * is `npx assay`.
 */
export const programName = (): string =>
  process.env['npm_command'] === undefined ? 'assay' : 'npx assay'
