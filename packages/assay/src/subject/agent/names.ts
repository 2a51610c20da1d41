/**
 * The names of the agents that a user's file may contain. They are in a separate file, so that reading a user's file
 * does not load the agents' code.
 */

/** Agents that print a stream of events in their own format. */
const STREAM_NAMES = ['claude', 'codex', 'gemini', 'cline'] as const

/**
 * Agents that speak the Agent Client Protocol. `acp` stands for any such agent, which is started by the subject's
 * command.
 */
const ACP_NAMES = ['opencode', 'copilot', 'qwen', 'acp'] as const

export const AGENT_NAMES = [...STREAM_NAMES, ...ACP_NAMES] as const

/** The formats in which a program's output can be read. */
export const EVENT_FORMATS = ['text', 'assay', ...STREAM_NAMES] as const

export type EventFormat = (typeof EVENT_FORMATS)[number]
