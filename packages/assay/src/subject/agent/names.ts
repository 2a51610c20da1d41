/**
 * The agent names that files may contain. They are separate from the agents, so that reading a file does not
 * load any.
 */

export const AGENT_NAMES = ['claude', 'codex', 'gemini'] as const

/** The formats in which a program's output can be read. */
export const EVENT_FORMATS = ['text', 'assay', ...AGENT_NAMES] as const

export type EventFormat = (typeof EVENT_FORMATS)[number]
