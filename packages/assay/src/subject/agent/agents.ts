/**
 * The agents that Assay knows by name. Each agent has its own folder, and all these folders have the same
 * structure. To add an agent, add a line here and its name in names.ts.
 */
import { nearest } from '../../text/index.ts'
import { UsageError } from '@assay/contract'
import type { AgentKind } from './agent-kind.ts'
import { acp, copilot, opencode, qwen } from './acp/acp.ts'
import { claude } from './claude/claude.ts'
import { cline } from './cline/cline.ts'
import { codex } from './codex/codex.ts'
import { gemini } from './gemini/gemini.ts'
import { AGENT_NAMES } from './names.ts'

const BY_NAME: Readonly<Record<(typeof AGENT_NAMES)[number], AgentKind>> = {
  ...{ claude, codex, gemini, cline },
  ...{ opencode, copilot, qwen, acp },
}

const KINDS: readonly AgentKind[] = AGENT_NAMES.map((name) => BY_NAME[name])

export const agentKinds = (): readonly AgentKind[] => KINDS

/** Returns the agent with that name. Throws a `UsageError` if there is none. */
export function agentKind(name: string): AgentKind {
  const found = KINDS.find((kind) => kind.name === name)
  if (found !== undefined) return found
  const names = KINDS.map((kind) => kind.name)
  const near = nearest(name, names)
  const hint = near === null ? `known are ${names.join(', ')}` : `did you mean ${near}?`
  throw new UsageError(
    `there is no agent "${name}": ${hint}; any other program is a subject as command:PROGRAM`,
  )
}
