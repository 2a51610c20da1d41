/** The name of the command in suggestions. If npm started Assay, `assay` may not be on the PATH. */
export const programName = (): string =>
  process.env['npm_command'] === undefined ? 'assay' : 'npx assay'
