/** Turns the `[template]` of a suite into cases: fills every text of the template with the columns of a row. */
import type { Json } from '@assay/contract'
import { isRecord, type Path } from '../../documents/index.ts'
import type { Row } from './row.ts'
import { isTemplate, TemplateError, type TemplateEngine } from './template.ts'

/** A problem while rendering, with its path in the template. */
export class RenderProblem extends Error {
  override readonly name = 'RenderProblem'
  readonly path: Path
  readonly missing: string | null

  constructor(path: Path, { message, missing }: TemplateError) {
    super(message)
    this.path = path
    this.missing = missing
  }
}

/**
 * Returns the template's value for a row. With `texts`, an expression that results in a number or a boolean gives
 * its text instead. Throws a `RenderProblem`.
 */
export type Renderer = (row: Row, texts?: boolean) => Json

/**
 * Compiles all texts in a value. Values without an expression are returned unchanged. `problem` is called for each
 * text that is not a valid template.
 */
export function compileValue(
  value: Json,
  path: Path,
  engine: TemplateEngine,
  problem: (path: Path, message: string) => void,
): { readonly render: Renderer; readonly isFixed: boolean } {
  const fixed = { render: () => value, isFixed: true }
  if (typeof value === 'string') {
    if (!isTemplate(value)) return fixed
    try {
      const template = engine.compile(value)
      return {
        render(row, texts = false) {
          const made = rendered(() => template.render(row), path)
          return texts && (typeof made === 'number' || typeof made === 'boolean')
            ? String(made)
            : made
        },
        isFixed: false,
      }
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error
      problem(path, error.message)
      return fixed
    }
  }
  const compiled = (inner: Json, step: string | number) =>
    compileValue(inner, [...path, step], engine, problem)
  if (Array.isArray(value)) {
    const items = (value as readonly Json[]).map(compiled)
    if (items.every(({ isFixed }) => isFixed)) return fixed
    return { render: (row, texts) => items.map(({ render }) => render(row, texts)), isFixed: false }
  }
  if (!isRecord(value)) return fixed
  const entries = Object.entries(value).map(([key, inner]) => [key, compiled(inner, key)] as const)
  if (entries.every(([, { isFixed }]) => isFixed)) return fixed
  return {
    render: (row, texts) =>
      Object.fromEntries(entries.map(([key, { render }]) => [key, render(row, texts)])),
    isFixed: false,
  }
}

function rendered(render: () => Json, path: Path): Json {
  try {
    return render()
  } catch (error) {
    throw error instanceof TemplateError ? new RenderProblem(path, error) : error
  }
}
