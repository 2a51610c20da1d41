/**
 * Whether graders that are programs of the suite (`custom`, `program`) run in a sandbox also where the suite does
 * not ask for it: for folders that are not trusted. Every command that reads suites or grades uses this.
 */
export const SANDBOX_GRADERS = false
