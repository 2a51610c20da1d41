/**
 * Hashes the settings of a subject, each one separately. A worker compares these hashes with those of its own subject,
 * and can say which setting differs. The settings themselves are not sent, because they may contain a text that only
 * the coordinator should know.
 */
import type { Json } from '@assay/contract'
import { hashOf } from '@assay/contract/hash'

export type SettingHashes = Record<string, string>

/**
 * Settings that may differ between machines, so that they are not compared. `gateway` depends on whether the
 * environment has an API key, and the coordinator needs no keys. `cwd` is a folder of the project, whose content is
 * compared instead.
 */
const OF_THE_MACHINE = new Set(['gateway', 'cwd'])

export function settingHashes(config: Json): SettingHashes {
  if (typeof config !== 'object' || config === null || Array.isArray(config))
    return { settings: hashOf(config) }
  const hashes: SettingHashes = {}
  for (const [key, value] of Object.entries(config)) {
    if (OF_THE_MACHINE.has(key)) continue
    // A subject with its own prompt contains the settings of the subject that is asked with this prompt.
    if (key === 'subject' && typeof value === 'object')
      Object.assign(hashes, settingHashes(value as Json))
    else hashes[key] = hashOf(value)
  }
  return hashes
}

/** Returns the names of the settings that differ. */
export function differences(ours: SettingHashes, theirs: SettingHashes): string[] {
  const names = new Set([...Object.keys(ours), ...Object.keys(theirs)])
  return [...names].filter((name) => ours[name] !== theirs[name]).sort()
}
