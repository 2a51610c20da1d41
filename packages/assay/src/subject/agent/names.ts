/** The names that files may hold, apart from the agents themselves so that reading a file loads none. */

export const AGENT_NAMES = ['claude', 'codex', 'gemini'] as const

/** How what a program prints is read. */
export const EVENT_FORMATS = ['text', 'assay', ...AGENT_NAMES] as const

export type EventFormat = (typeof EVENT_FORMATS)[number]
