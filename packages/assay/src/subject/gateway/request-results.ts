/**
 * Reads the results of tool calls from an agent's request. Every request repeats the whole conversation, so most of the
 * results were already seen. The agent wrote these results, but they are exactly what its model received.
 */
import { listAt, textAt, wordsOf } from '../agent/trajectory/fields.ts'
import { child, isRecord } from '../json.ts'
import type { Api } from '../model/wire.ts'

export interface ReturnedResult {
  /** The id of the call. Empty if the API has no ids. */
  readonly id: string
  /** The name of the tool, if the result contains it. */
  readonly name: string
  readonly text: string
  /** Null if the API does not say whether a call failed. */
  readonly failed: boolean | null
}

export const requestResults = (api: Api, asked: unknown): ReturnedResult[] => READERS[api](asked)

const READERS: Readonly<Record<Api, (asked: unknown) => ReturnedResult[]>> = {
  anthropic: (asked) =>
    listAt(asked, 'messages').flatMap((message) =>
      listAt(message, 'content').flatMap((block) =>
        textAt(block, 'type').endsWith('tool_result')
          ? [
              {
                id: textAt(block, 'tool_use_id'),
                name: '',
                text: wordsOf(child(block, 'content')),
                failed: child(block, 'is_error') === true,
              },
            ]
          : [],
      ),
    ),
  chat: (asked) =>
    listAt(asked, 'messages').flatMap((message) =>
      ['tool', 'function'].includes(textAt(message, 'role'))
        ? [
            {
              id: textAt(message, 'tool_call_id'),
              name: textAt(message, 'name'),
              text: wordsOf(child(message, 'content')),
              failed: null,
            },
          ]
        : [],
    ),
  responses: (asked) =>
    listAt(asked, 'input').flatMap((item) => {
      if (!textAt(item, 'type').endsWith('_call_output')) return []
      const output = child(item, 'output')
      return [{ id: textAt(item, 'call_id'), name: '', text: outputText(output), failed: null }]
    }),
  google: (asked) =>
    // These calls often have no id. So only the results after the model's last message count as new.
    afterModel(listAt(asked, 'contents')).flatMap((content) =>
      listAt(content, 'parts').flatMap((part) => {
        const given = child(part, 'functionResponse')
        if (!isRecord(given)) return []
        const response = child(given, 'response')
        return [
          {
            id: textAt(given, 'id'),
            name: textAt(given, 'name'),
            text: textAt(response, 'output') || outputText(response),
            failed: isRecord(response) ? Object.hasOwn(response, 'error') : null,
          },
        ]
      }),
    ),
}

const afterModel = (contents: readonly unknown[]): readonly unknown[] =>
  contents.slice(contents.findLastIndex((one) => textAt(one, 'role') === 'model') + 1)

function outputText(output: unknown): string {
  if (typeof output === 'string') return output
  if (Array.isArray(output)) return wordsOf(output)
  return output === undefined || output === null ? '' : JSON.stringify(output)
}
