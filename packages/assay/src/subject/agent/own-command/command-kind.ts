/**
 * Any program as an agent: its words say how it is started, and what it prints is read as the events that
 * it is said to tell. In a case of several turns it is started once for each; where its words hold
 * `{session}` they are told the session of the turn before; in the first turn an option for it is left out
 * (`--resume {session}`).
 */
import type { Ask, Message } from '@assay/contract'
import { readEnvelope } from '../../command/envelope.ts'
import type { AgentKind, AgentSettings, StreamReader, TrajectorySink } from '../agent-kind.ts'
import { agentKind } from '../agents.ts'
import { assayReader, isAssayEvent, textReader } from './assay-events.ts'
import { asJson, SESSION, withIndex, withPrompt, withSession } from './command-words.ts'
import type { EventFormat } from '../names.ts'

export interface CommandWords {
  readonly id: string
  /** Arguments, without the program. */
  readonly words: readonly string[]
  readonly promptAs: 'stdin' | 'argument' | 'json'
  readonly answerAs: 'text' | 'json'
  /** Found out from the first line where it is not said. */
  readonly events: EventFormat | null
  /** Without a session to go on with it is given all that was said, not the prompt alone. */
  readonly saysAll?: boolean
}

/** Where agents that follow no rule of their own look for skills. */
const SKILLS = { where: 'home', path: '.agents/skills' } as const

export function commandKind(command: CommandWords, ask: Ask): AgentKind {
  const { id, words, promptAs, answerAs, events, saysAll = false } = command
  const takesSession = words.some((word) => word.includes(SESSION))
  const known =
    events === null || events === 'text' || events === 'assay' ? null : agentKind(events)
  return {
    name: 'command',
    title: id,
    program: '',
    install: '',
    provider: known?.provider ?? '',
    passEnv: [],
    env: {},
    skills: known?.skills ?? SKILLS,
    files: () => [],
    start: ({ prompt, messages, session }) => {
      const asked = withIndex(withSession(words, session), ask.index)
      const said: readonly Message[] =
        saysAll && (session === null || !takesSession)
          ? messages
          : [{ role: 'user', content: prompt }]
      const text = said.map(({ content }) => content).join('\n\n')
      return {
        args: promptAs === 'argument' ? withPrompt(asked, text) : asked,
        input: promptAs === 'stdin' ? text : promptAs === 'json' ? asJson(ask, said) : '',
      }
    },
    repeats: (line) => known?.repeats?.(line) ?? false,
    reader: (sink, settings) => {
      if (answerAs === 'json') return envelopeReader(sink)
      return known === null ? readerOf(events, sink) : readKnown(known, sink, settings)
    },
  }
}

const readKnown = (
  kind: AgentKind,
  sink: TrajectorySink,
  settings: AgentSettings,
): StreamReader => {
  const reader = kind.reader(sink, settings)
  return {
    format: reader.format ?? kind.name,
    line: (text) => reader.line(text),
    turnEnded: () => reader.turnEnded(),
  }
}

function readerOf(events: EventFormat | null, sink: TrajectorySink): StreamReader {
  if (events === 'text') return textReader(sink)
  if (events === 'assay') return assayReader(sink)
  let chosen: StreamReader | null = null
  return {
    get format() {
      return chosen?.format ?? 'text'
    },
    line: (text) => {
      chosen ??= isAssayEvent(text) ? assayReader(sink) : textReader(sink)
      chosen.line(text)
    },
    turnEnded: () => {
      chosen ??= textReader(sink)
      chosen.turnEnded()
    },
  }
}

/** The whole output is one envelope (envelope.ts), whose files count for nothing: the workspace has them. */
function envelopeReader(sink: TrajectorySink): StreamReader {
  let lines: string[] = []
  return {
    format: 'text',
    line: (text) => {
      lines.push(text)
    },
    turnEnded: () => {
      const printed = lines.join('\n').trim()
      lines = []
      const envelope = readEnvelope(printed)
      if ('wrong' in envelope) {
        sink.answer(printed)
        sink.end({
          how: 'failed',
          why: `printed an envelope that cannot be read: ${envelope.wrong}`,
        })
        return
      }
      const { text, usage, usd, stop, note = stop, remarks = [] } = envelope
      for (const remark of remarks) sink.odd(remark)
      sink.message('assistant', text)
      sink.answer(text)
      if (usage !== null) sink.request('envelope', { model: null, usage })
      if (usage !== null || usd !== null) sink.totals(usage === null ? {} : { unknown: usage }, usd)
      if (stop === 'end') sink.end({ how: 'done' })
      else if (stop === 'length') sink.end({ how: 'limit', why: note })
      else sink.end({ how: 'refused', why: note })
    },
  }
}
