/** Makes the names of runs for menus. No two runs have the same name, even if they began in the same minute. */
import type { RunRow } from './data/workbench-source.ts'
import { moment } from './figures.ts'
import { visible } from './text/visible.ts'
import { shortCommit } from './trend-words.ts'

type Labelled = Pick<RunRow, 'key' | 'folder' | 'title' | 'createdAt' | 'commit'>

/**
 * Returns the name of each run, by its key. It begins with the folder, which distinguishes the runs. Then come the
 * run's title, its start time and its commit.
 */
export function runLabels(runs: readonly Labelled[]): ReadonlyMap<string, string> {
  const names = folderNames(runs)
  return new Map(
    runs.map(({ key, title, createdAt, commit }) => [
      key,
      [
        names.get(key) ?? '',
        ...(title === '' ? [] : [visible(title)]),
        ...(createdAt === null ? [] : [moment(createdAt)]),
        ...(commit === null ? [] : [`commit ${shortCommit(commit)}`]),
      ].join(' · '),
    ]),
  )
}

/**
 * Returns a short folder name of each run, by its key. It is the last part of the path, or the whole path if another
 * run has the same last part.
 */
export function folderNames(
  runs: readonly Pick<RunRow, 'key' | 'folder'>[],
): ReadonlyMap<string, string> {
  const last = (folder: string): string => folder.split('/').at(-1) ?? folder
  const times = Map.groupBy(runs, ({ folder }) => visible(last(folder)))
  return new Map(
    runs.map(({ key, folder }) => {
      const name = visible(last(folder))
      return [key, times.get(name)?.length === 1 ? name : visible(folder)]
    }),
  )
}
