/**
 * Finds out how the model of an ACP session can be set. Agents that list their models have `session/set_model`. Agents
 * with options have an option of the category `model`.
 */
import { child } from '../../json.ts'
import { listAt, textAt } from '../trajectory/fields.ts'

export interface ModelChoice {
  readonly method: string
  readonly params: object
  readonly isCurrent: boolean
  /** The first few models that the agent lists, for error messages. */
  readonly known: readonly string[]
}

const MOST_KNOWN = 12

/**
 * Returns how to set the model. Returns null if the agent offers no choice. `made` is the agent's reply to
 * `session/new`.
 */
export function modelChoice(made: unknown, model: string): ModelChoice | null {
  const option = listAt(made, 'configOptions').find((one) => textAt(one, 'category') === 'model')
  if (option !== undefined) {
    const value = chosen(optionsOf(option), 'value', model)
    return {
      method: 'session/set_config_option',
      params: { configId: textAt(option, 'id'), value },
      isCurrent: textAt(option, 'currentValue') === value,
      known: namesOf(optionsOf(option), 'value'),
    }
  }
  const models = child(made, 'models')
  if (models === undefined || models === null) return null
  const available = listAt(models, 'availableModels')
  const modelId = chosen(available, 'modelId', model)
  return {
    method: 'session/set_model',
    params: { modelId },
    isCurrent: textAt(models, 'currentModelId') === modelId,
    known: namesOf(available, 'modelId'),
  }
}

/** Returns the values of an option. Some agents put them into groups. */
const optionsOf = (option: unknown): readonly unknown[] =>
  listAt(option, 'options').flatMap((one) =>
    Array.isArray(child(one, 'options')) ? listAt(one, 'options') : [one],
  )

/** Returns the agent's id of a model. The user may have written this id or the model's name. */
function chosen(list: readonly unknown[], key: string, model: string): string {
  if (list.some((one) => textAt(one, key) === model)) return model
  const named = list.find((one) => textAt(one, 'name') === model)
  return named === undefined ? model : textAt(named, key)
}

const namesOf = (list: readonly unknown[], key: string): string[] =>
  list.slice(0, MOST_KNOWN).map((one) => textAt(one, key).slice(0, 100))
