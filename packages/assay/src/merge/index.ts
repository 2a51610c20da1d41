/** Merges the runs of the parts of a plan into one run. */
export { mergeParts, type MergedParts, type MergeOptions, type MissingPart } from './merge-parts.ts'
