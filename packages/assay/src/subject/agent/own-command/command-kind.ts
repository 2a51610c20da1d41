/**
 * Treats a user's command as an agent. Its arguments say how it is started, and the subject declares the format of its
 * output. In a case with several turns, the command is started once per turn. In its arguments, `{session}` is replaced
 * by the session of the previous turn. The first turn has no session, so an option with `{session}` is left out.
 */
import type { Ask, Message } from '@assay/contract'
import { readEnvelope } from '../../command/envelope.ts'
import type { AgentKind, AgentSettings, StreamReader, TrajectorySink } from '../agent-kind.ts'
import { agentKind } from '../agents.ts'
import { assayReader, isAssayEvent, textReader } from './assay-events.ts'
import { asJson, SESSION, withIndex, withPrompt, withSession } from './command-words.ts'
import type { EventFormat } from '../names.ts'
import { FAMILIES } from '../../gateway/route.ts'

export interface CommandWords {
  readonly id: string
  /** The command's arguments, without the program. */
  readonly words: readonly string[]
  readonly promptAs: 'stdin' | 'argument' | 'json'
  readonly answerAs: 'text' | 'json'
  /** The format of the output. If it is null, the format is detected from the first line. */
  readonly events: EventFormat | null
  /** Whether a program without a session gets the whole conversation instead of only the last prompt. */
  readonly saysAll?: boolean
}

/** The folder for skills that many agents use. A command has no setting for another folder. */
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
    gateway: () => FAMILIES,
    ...(known?.calls === undefined ? {} : { calls: known.calls }),
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

/**
 * Reads the whole output as one envelope (envelope.ts). Files in the envelope are ignored, because the command's files
 * are in the workspace.
 */
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
