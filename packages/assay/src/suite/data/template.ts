/**
 * Compiles and renders the templates of a suite with LiquidJS. A template executes no code. It sees only the columns
 * of its row, and no files, environment variables or prototypes. Tags and filters that give a different result in
 * each run (because they use the clock or chance) are removed. A template that needs too much time or memory is
 * refused.
 */
import type { Json } from '@assay/contract'
import type { Row } from './row.ts'
import type { Liquid, Template as Parsed } from 'liquidjs'

/** The limit on the characters of a template. */
const MOST_TEMPLATE = 1_000_000
/** The time limit for rendering one text, in milliseconds. Ordinary templates need less than one millisecond. */
const MOST_TIME = 2000
/** The memory limit for rendering one text. LiquidJS counts roughly in characters and list items. */
const MOST_MEMORY = 20_000_000

/** The first four tags read other templates from files. The last two would change the row. */
const REFUSED_TAGS = ['include', 'render', 'layout', 'block', 'increment', 'decrement'] as const
/**
 * The filters `date…` and `sample` depend on the clock, the time zone or chance. Filters that end in `_exp` would
 * evaluate text from a row as an expression.
 */
const REFUSED_FILTERS = /^(?:date.*|sample|.*_exp)$/

/** Thrown if a template cannot be compiled, or cannot be rendered with a row. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError'
  /** The column that the row lacks. Null if the error has another cause. */
  readonly missing: string | null

  constructor(message: string, missing: string | null = null) {
    super(message)
    this.missing = missing
  }
}

export interface Template {
  /**
   * Renders the template with the columns of a row. If the template is a single expression, such as `{{ tags }}`,
   * the result keeps the type of the value. Otherwise the result is text.
   */
  render(row: Row): Json
  /** The names of the variables that the template reads. */
  variables(): readonly string[]
}

/** Whether the text contains an expression or a tag. All other texts need no template engine. */
export const isTemplate = (text: string): boolean => text.includes('{{') || text.includes('{%')

export interface TemplateEngine {
  /** Compiles a template. Throws a `TemplateError` if it is malformed. */
  compile(text: string): Template
}

/** Loads the template engine. It is loaded only if a suite has templates, because loading takes time. */
export async function openTemplates(): Promise<TemplateEngine> {
  const { Liquid: Engine } = await import('liquidjs')
  const engine = new Engine({
    templates: {},
    strictVariables: true,
    strictFilters: true,
    ownPropertyOnly: true,
    // Without this option, `{% if x %}` and `x | default: ""` would fail for a row without x.
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

/** Matches LiquidJS's error about a variable that a row does not have. */
const UNDEFINED = /^undefined variable: (.*)$/

/**
 * Returns the first line of the message, without the position in the template. Templates are short, so the position
 * helps little.
 */
const plainMessage = (error: Error): string =>
  (error.message.split('\n')[0] ?? '').replace(/, line:\d+, col:\d+$/, '')

/**
 * Returns the rendered value as JSON. If the template is a single expression, LiquidJS returns a value that keeps
 * its type.
 */
function jsonOf(value: unknown): Json {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TemplateError('the result is not a number')
    return value
  }
  return JSON.parse(JSON.stringify(value)) as Json
}
