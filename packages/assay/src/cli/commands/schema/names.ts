/** The JSON Schemas that Assay publishes. The package contains each of them as `schemas/NAME.schema.json`. */
export const SCHEMAS = ['suite', 'experiment', 'settings', 'gates', 'report'] as const

export type SchemaName = (typeof SCHEMAS)[number]
