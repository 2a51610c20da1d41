/**
 * Assay's own events, for scripted agents and for wrappers around agents that it does not know: one JSON
 * object on each line of stdout, flushed as it happens. Only `type` and what is named without a question
 * mark are needed.
 *
 *     {"type":"session","id"}                                      by which a later turn can go on
 *     {"type":"message","text","role"?}                            role: assistant unless it says system
 *     {"type":"reasoning","text"}
 *     {"type":"tool-call","id","name","args"?}
 *     {"type":"tool-result","id","text"?,"failed"?}                of the call with that id
 *     {"type":"skill","name"}                                      a skill was used
 *     {"type":"file-change","path","change"?}                      added, changed (unless it says), deleted
 *     {"type":"usage","model"?,"input"?,"cacheRead"?,"cacheWrite"?,"output"?,"reasoning"?,"usd"?}
 *                                                                  one answered request to a model; the
 *                                                                  classes exclude each other, but
 *                                                                  reasoning is a part of output. Without
 *                                                                  usd a model that is named as
 *                                                                  provider/model is priced
 *     {"type":"error","text"}
 *     {"type":"done","answer"?}                                    the turn is over; the answer is the last
 *                                                                  message unless it says, and then said
 *                                                                  as a message too
 *
 * Lines that are no such event are plain output: they are kept, and where no event told an answer they are
 * the answer. The exit code says whether it worked.
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
  'done',
])

const MOST_OUTPUT = 8 * 1024 * 1024

/** Whether a line is one of these events. */
export const isAssayEvent = (line: string): boolean => TYPES.has(textAt(parseJson(line), 'type'))

export function assayReader(sink: TrajectorySink): StreamReader {
  let requests = 0
  let isTold = false
  /** The last message of this turn. */
  let lastWords = ''
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
        // It was parsed from JSON.
        args: (child(given, 'args') ?? null) as Json,
      })
    else if (type === 'tool-result')
      sink.toolResult(id, { text, failed: child(given, 'failed') === true })
    else if (type === 'skill') sink.skill(textAt(given, 'name'))
    else if (type === 'file-change') sink.fileChange(textAt(given, 'path'), changeOf(given))
    else if (type === 'usage') usage(given)
    else if (type === 'error') sink.error(text)
    else if (type === 'done') done(given)
    else sink.other(type, raw)
  }

  function usage(given: unknown): void {
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
      // What it answers is said too: of an earlier turn nothing else would tell it.
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
    turnEnded() {
      output.end(!isTold)
      isTold = false
      lastWords = ''
    },
  }
}

/** What a program prints that tells no events: all of it is the answer. */
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

/** Plain lines, in order; told as one message at the end. */
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
      // Programs end their last line; that is no part of what they say.
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
