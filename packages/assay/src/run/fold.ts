/** Answers between memory and the log: large texts go to blobs on the way out and come back on the way in. */
import type { Answer, Text } from '../contract.ts'
import type { RunFolder } from '../log/index.ts'
import type { Pending } from './pending.ts'

export async function unfold(
  read: (text: Text) => Promise<string>,
  { answer }: Pending,
): Promise<Answer> {
  const { text, files, ...rest } = answer
  const texts: Record<string, string> = {}
  for (const [path, file] of Object.entries(files ?? {})) texts[path] = await read(file)
  return { ...rest, text: await read(text), ...(files === undefined ? {} : { files: texts }) }
}

export async function foldFiles(
  folder: RunFolder,
  files: Readonly<Record<string, string>> | undefined,
): Promise<{ files?: Record<string, Text> }> {
  if (files === undefined) return {}
  const texts: Record<string, Text> = {}
  for (const [path, text] of Object.entries(files)) texts[path] = await folder.text(text)
  return { files: texts }
}
