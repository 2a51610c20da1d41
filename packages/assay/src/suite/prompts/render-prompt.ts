/** Renders the prompts of a suite with the variables of a case. The id and the hash of the case stay the same. */
import type { Case, Json, Message, Prompt } from '@assay/contract'
import { isTemplate, openTemplates, TemplateError, type Template } from '../data/template.ts'

export interface CompiledPrompt {
  readonly name: string
  /** The names of the variables that the prompt's texts use. */
  readonly variables: readonly string[]
  /** Whether the prompt has its own user message. If not, the case's own prompt is sent. */
  readonly asks: boolean
  /** Returns the case with the texts of this prompt. Throws a `TemplateError` if they cannot be rendered. */
  apply(one: Case): Case
}

/** Variables that every case has. A column or an entry of `vars` with the same name takes precedence. */
const OWN_VARIABLES = ['prompt', 'system'] as const

/** Compiles prompts. If a prompt is not a valid template, throws a `TemplateError` that names the prompt. */
export async function compilePrompts(prompts: readonly Prompt[]): Promise<CompiledPrompt[]> {
  if (prompts.length === 0) return []
  const engine = await openTemplates()
  const variables = new Set<string>()
  const compiled = (name: string, text: string): Pick<Template, 'render'> => {
    if (!isTemplate(text)) return { render: () => text }
    try {
      const template = engine.compile(text)
      for (const variable of template.variables()) variables.add(variable)
      return template
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error
      throw new TemplateError(`prompt ${name}: ${error.message}`)
    }
  }
  return prompts.map(({ name, system, examples, user }): CompiledPrompt => {
    variables.clear()
    const made = {
      system: system === undefined ? null : compiled(name, system),
      examples: examples?.map(({ role, content }) => ({ role, text: compiled(name, content) })),
      user: user === undefined ? null : compiled(name, user),
    }
    return {
      name,
      variables: [...variables],
      asks: user !== undefined,
      apply(one) {
        const values = valuesOf(one)
        const text = ({ render }: Pick<Template, 'render'>): string => asText(render(values))
        return {
          ...one,
          turns: made.user === null ? one.turns : [text(made.user), ...one.turns.slice(1)],
          ...(made.system === null ? {} : { system: text(made.system) }),
          ...(made.examples === undefined
            ? {}
            : {
                examples: made.examples.map(({ role, text: content }): Message => ({
                  role,
                  content: text(content),
                })),
              }),
        }
      },
    }
  })
}

function valuesOf({ turns, system, vars = {} }: Case): Readonly<Record<string, Json>> {
  const own = { prompt: turns[0], system }
  const values = Object.create(null) as Record<string, Json>
  for (const key of OWN_VARIABLES) {
    const value = own[key]
    if (value !== undefined) values[key] = value
  }
  return Object.assign(values, vars)
}

const asText = (value: Json): string =>
  typeof value === 'string'
    ? value
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value)
