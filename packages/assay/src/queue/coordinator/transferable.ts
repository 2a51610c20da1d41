/** Refuses settings that cannot or must not be sent to other machines. This happens before anything starts. */
import { UsageError, type Subject } from '@assay/contract'
import type { Job } from '../../run/index.ts'
import type { NamedSubject } from '../../subject/index.ts'
import { usedNames, type SubjectRecipe } from './recipe.ts'

/** Settings of a subject that refer to files. A worker reads these files from its own copy of the project. */
const OF_THE_PROJECT = ['skills', 'files', 'program', 'cwd', 'folder', 'mcpServers'] as const

/** Whether asking the subject needs files of the project. Commands always do, because they run in its folder. */
export const usesProject = ({ kind }: Subject, named: NamedSubject | null): boolean =>
  kind === 'function' ||
  kind === 'command' ||
  OF_THE_PROJECT.some((key) => named?.[key] !== undefined)

/** Throws a `UsageError` if something in the settings cannot or must not be sent. */
export function checkTransferable(
  { plan, judges }: Pick<Job, 'plan' | 'judges'>,
  recipe: SubjectRecipe,
): void {
  for (const { id, kind, source } of [...plan.subjects, ...judges])
    if (kind === 'replay' || source === 'replay')
      throw new UsageError(
        `${id} replays recorded answers, which are on this machine: run it without --queue`,
      )
  for (const [name, subject] of Object.entries(usedNames({ plan, judges }, recipe)))
    for (const key of valuesIn(subject as NamedSubject))
      throw new UsageError(
        `${name} sets ${key}, whose values may be secret and are never sent to workers. Name variables with passEnv, and set them where the workers run`,
      )
  for (const [name, provider] of Object.entries(recipe.providers))
    if ((provider as { readonly apiKey?: unknown }).apiKey !== undefined)
      throw new UsageError(
        `the provider ${name} has its key in the settings file, and keys are never sent to workers. Name a variable with api_key_env, and set it where the workers run`,
      )
}

/** Returns the settings that contain values of environment variables or HTTP headers. */
function valuesIn({ env = {}, mcpServers = {} }: NamedSubject): string[] {
  const servers = Object.entries(mcpServers).flatMap(([name, server]) => {
    const key = 'url' in server ? 'headers' : 'env'
    const values = ('url' in server ? server.headers : server.env) ?? {}
    return Object.keys(values).length === 0 ? [] : [`${key} of the MCP server ${name}`]
  })
  return [...(Object.keys(env).length === 0 ? [] : ['env']), ...servers]
}
