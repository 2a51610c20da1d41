/**
 * The names of the agents that a file of the user may contain. They are separate from the agents' code, so that
 * reading a file does not load that code.
 */

/** Agents with an event stream of their own. */
const STREAM_NAMES = ['claude', 'codex', 'gemini', 'cline'] as const

/** Agents that speak the Agent Client Protocol. `acp` is any of them, by its command. */
const ACP_NAMES = ['opencode', 'copilot', 'qwen', 'acp'] as const

export const AGENT_NAMES = [...STREAM_NAMES, ...ACP_NAMES] as const

/** The formats in which a program's output can be read. */
export const EVENT_FORMATS = ['text', 'assay', ...STREAM_NAMES] as const

export type EventFormat = (typeof EVENT_FORMATS)[number]
