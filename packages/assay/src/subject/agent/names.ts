/**
 * The names of the agents that a file of the user may contain. They are separate from the agents' code, so that
 * reading a file does not load that code.
 */

export const AGENT_NAMES = ['claude', 'codex', 'gemini'] as const

/** The formats in which a program's output can be read. */
export const EVENT_FORMATS = ['text', 'assay', ...AGENT_NAMES] as const

export type EventFormat = (typeof EVENT_FORMATS)[number]
