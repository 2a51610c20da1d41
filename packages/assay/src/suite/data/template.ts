/**
 * Compiles and renders the templates of a suite with LiquidJS. A template executes no code and sees only the columns of
 * its row: it can read no files, no environment and no prototypes. Tags and filters whose result would differ from one
 * run to the next (the clock, random choice) do not exist. A template that needs too much time or memory is refused.
 */
import type { Json } from '@assay/contract'
import type { Row } from './row.ts'
import type { Liquid, Template as Parsed } from 'liquidjs'

/** The longest template, in characters. */
const MOST_TEMPLATE = 1_000_000
/** The most time for rendering one text, in milliseconds. Ordinary templates need less than one. */
const MOST_TIME = 2000
/** The most memory for rendering one text, in LiquidJS' units: about characters and list items. */
const MOST_MEMORY = 20_000_000

/** The first four read other templates from files. The last two would change the row. */
const REFUSED_TAGS = ['include', 'render', 'layout', 'block', 'increment', 'decrement'] as const
/**
 * The result of the first two depends on the clock, the time zone or chance. Those with `_exp` would evaluate the text
 * of a row as an expression.
 */
const REFUSED_FILTERS = /^(?:date.*|sample|.*_exp)$/

/** A template that cannot be compiled, or that cannot be rendered with a row. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError'
  /** The column that the row lacks, if that is the reason. */
  readonly missing: string | null

  constructor(message: string, missing: string | null = null) {
    super(message)
    this.missing = missing
  }
}

export interface Template {
  /**
   * Renders the template with the columns of a row. A template that is one expression and nothing else, such as
   * `{{ tags }}`, returns the value with its type. All others return text.
   */
  render(row: Row): Json
  /** The names of the variables that the template reads. */
  variables(): readonly string[]
}

/** True if the text contains an expression or a tag. Other texts need no engine. */
export const isTemplate = (text: string): boolean => text.includes('{{') || text.includes('{%')

export interface TemplateEngine {
  /** Throws a `TemplateError` if the template is malformed. */
  compile(text: string): Template
}

/** Loads the engine. It is loaded only for suites that have templates. */
export async function openTemplates(): Promise<TemplateEngine> {
  const { Liquid: Engine } = await import('liquidjs')
  const engine = new Engine({
    templates: {},
    strictVariables: true,
    strictFilters: true,
    ownPropertyOnly: true,
    // Without it, `{% if x %}` and `x | default: ""` would refuse a row that has no x.
    lenientIf: true,
    keepOutputType: true,
    parseLimit: MOST_TEMPLATE,
    renderLimit: MOST_TIME,
    memoryLimit: MOST_MEMORY,
  })
  restrict(engine)
  const refused = (error: unknown): TemplateError => {
    if (error instanceof TemplateError) return error
    const message = error instanceof Error ? plainMessage(error) : String(error)
    return new TemplateError(message, UNDEFINED.exec(message)?.[1] ?? null)
  }
  return {
    compile(text) {
      let parsed: Parsed[]
      try {
        parsed = engine.parse(text)
      } catch (error) {
        throw refused(error)
      }
      return {
        render(row) {
          try {
            return jsonOf(engine.renderSync(parsed, row))
          } catch (error) {
            throw refused(error)
          }
        },
        variables: () => engine.globalVariablesSync(parsed),
      }
    },
  }
}

function restrict(engine: Liquid): void {
  for (const tag of REFUSED_TAGS) delete engine.tags[tag]
  for (const filter of Object.keys(engine.filters))
    if (REFUSED_FILTERS.test(filter)) delete engine.filters[filter]
}

/** How LiquidJS names a variable that a row does not have. */
const UNDEFINED = /^undefined variable: (.*)$/

/** Returns the first line of the message, without the position in the template: templates are short. */
const plainMessage = (error: Error): string =>
  (error.message.split('\n')[0] ?? '').replace(/, line:\d+, col:\d+$/, '')

/** Returns the rendered value as JSON. LiquidJS returns a value with its type if the template is one expression. */
function jsonOf(value: unknown): Json {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TemplateError('the result is not a number')
    return value
  }
  return JSON.parse(JSON.stringify(value)) as Json
}
