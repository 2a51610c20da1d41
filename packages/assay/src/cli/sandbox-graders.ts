/**
 * Whether graders that are programs of the suite (`custom`, `program`) run in a sandbox where the suite does not
 * say. Every command that reads suites or grades uses this.
 */
export const SANDBOX_GRADERS = false
