/**
 * Assay's own event format, for scripted agents and for wrappers around agents that Assay does not know: one
 * JSON object per line of stdout, flushed at once. Fields with a question mark are optional.
 *
 *     {"type":"session","id"}                                      a later turn can continue this session
 *     {"type":"message","text","role"?}                            role: assistant (default) or system
 *     {"type":"reasoning","text"}
 *     {"type":"tool-call","id","name","args"?}
 *     {"type":"tool-result","id","text"?,"failed"?}                result of the call with that id
 *     {"type":"skill","name"}                                      a skill was used
 *     {"type":"file-change","path","change"?}                      added, changed (default) or deleted
 *     {"type":"usage","model"?,"input"?,"cacheRead"?,"cacheWrite"?,"output"?,"reasoning"?,"usd"?}
 *                                                                  one answered request to a model; no token
 *                                                                  is in two classes, except that reasoning
 *                                                                  is a part of output. Without usd, a model
 *                                                                  named provider/model is priced
 *     {"type":"error","text"}
 *     {"type":"lost","text"?}                                      the provider cannot be reached; it counts if the
 *                                                                  program then fails without another request
 *     {"type":"done","answer"?}                                    the turn is over; the default answer is
 *                                                                  the last message; a given answer is also
 *                                                                  recorded as a message
 *
 * Any other line is plain output. It is kept, and it is the answer if no event gave one. The exit code says
 * whether the program succeeded.
 */
import type { Json } from '@assay/contract'
import { counted } from '../../../text/index.ts'
import { child, isRecord, parseJson } from '../../json.ts'
import type { StreamReader, TrajectorySink } from '../agent-kind.ts'
import { numberAt, textAt } from '../trajectory/fields.ts'

const TYPES = new Set([
  'session',
  'message',
  'reasoning',
  'tool-call',
  'tool-result',
  'skill',
  'file-change',
  'usage',
  'error',
  'lost',
  'done',
])

const MOST_OUTPUT = 8 * 1024 * 1024

/** Whether the line is an event in Assay's format. */
export const isAssayEvent = (line: string): boolean => TYPES.has(textAt(parseJson(line), 'type'))

export function assayReader(sink: TrajectorySink): StreamReader {
  let requests = 0
  let isTold = false
  /** The last message of this turn. */
  let lastWords = ''
  /** Why the provider was lost. Null again as soon as a request was answered. */
  let lost: string | null = null
  const output = plainOutput(sink)

  function event(given: unknown, raw: string): void {
    const type = textAt(given, 'type')
    const text = textAt(given, 'text')
    const id = textAt(given, 'id')
    if (type === 'session') sink.session(id)
    else if (type === 'message') {
      const isSystem = textAt(given, 'role') === 'system'
      if (!isSystem) {
        isTold = true
        lastWords = text
      }
      sink.message(isSystem ? 'system' : 'assistant', text)
    } else if (type === 'reasoning') sink.reasoning(text)
    else if (type === 'tool-call')
      sink.toolCall({
        id,
        name: textAt(given, 'name'),
        // The cast is safe, because the value was parsed from JSON.
        args: (child(given, 'args') ?? null) as Json,
      })
    else if (type === 'tool-result')
      sink.toolResult(id, { text, failed: child(given, 'failed') === true })
    else if (type === 'skill') sink.skill(textAt(given, 'name'))
    else if (type === 'file-change') sink.fileChange(textAt(given, 'path'), changeOf(given))
    else if (type === 'usage') usage(given)
    else if (type === 'lost') lost = text
    else if (type === 'error') sink.error(text)
    else if (type === 'done') done(given)
    else sink.other(type, raw)
  }

  function usage(given: unknown): void {
    lost = null
    const cost = child(given, 'usd') ?? null
    sink.request(`request-${++requests}`, {
      model: textAt(given, 'model') || 'unknown',
      usage: {
        input: numberAt(given, 'input'),
        cacheRead: numberAt(given, 'cacheRead'),
        cacheWrite: numberAt(given, 'cacheWrite'),
        output: numberAt(given, 'output'),
        reasoning: numberAt(given, 'reasoning'),
      },
      usd: cost === null ? null : numberAt(given, 'usd'),
    })
  }

  function done(given: unknown): void {
    const answer = child(given, 'answer')
    if (typeof answer === 'string') {
      isTold = true
      // The answer is also recorded as a message. Otherwise the answers of earlier turns would be missing in the
      // trajectory.
      if (answer !== lastWords) sink.message('assistant', answer)
      sink.answer(answer)
    }
    sink.end({ how: 'done' })
  }

  return {
    format: 'assay',
    line(text) {
      const given = parseJson(text)
      if (isRecord(given) && typeof given['type'] === 'string') event(given, text)
      else output.line(text)
    },
    lost: () =>
      lost === null ? null : { how: 'lost', why: lost || 'it says so', reason: 'provider-error' },
    turnEnded() {
      output.end(!isTold)
      isTold = false
      lastWords = ''
    },
  }
}

/** Creates a reader for a program that prints no events. All of its output is the answer. */
export function textReader(sink: TrajectorySink): StreamReader {
  const output = plainOutput(sink)
  return {
    format: 'text',
    line: (text) => output.line(text),
    turnEnded: () => {
      output.end(true)
      sink.end({ how: 'done' })
    },
  }
}

/** Collects plain lines, in order, and reports them as one message at the end. */
function plainOutput(sink: TrajectorySink): {
  line(text: string): void
  end(isAnswer: boolean): void
} {
  let lines: string[] = []
  let length = 0
  let left = 0
  return {
    line(text) {
      if (length + text.length > MOST_OUTPUT) left++
      else {
        lines.push(text)
        length += text.length + 1
      }
    },
    end(isAnswer) {
      // The line break at the end of the output is not part of the message.
      while (lines.at(-1) === '') lines.pop()
      const text = lines.join('\n')
      if (text !== '') sink.message(isAnswer ? 'assistant' : 'system', text)
      if (isAnswer) sink.answer(text)
      if (left > 0)
        sink.odd(
          `${counted(left, 'line of output is', 'lines of output are')} not kept here: there is too much of it`,
        )
      lines = []
      length = 0
      left = 0
    },
  }
}

const CHANGES = ['added', 'changed', 'deleted'] as const

const changeOf = (given: unknown): (typeof CHANGES)[number] =>
  CHANGES.find((change) => change === textAt(given, 'change')) ?? 'changed'
