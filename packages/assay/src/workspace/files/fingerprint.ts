/**
 * Computes stamps. A stamp shows whether a file was touched. It contains the file's inode number, its size and its
 * ctime, which is the time of its last change of any kind. Only the kernel sets the ctime. So a file with an unchanged
 * stamp does not have to be read again. The modification time would not be enough, because programs can set it.
 */
import { lstatSync, type BigIntStats } from 'node:fs'

/** The stamps of files and folders, by path. The path of a folder ends with a slash. */
export type Stamps = Map<string, string>

/**
 * The longest tick of the kernel's clock for file times. If a file changes within one tick after its stamp was read,
 * its stamp may stay the same.
 */
export const STAMP_TICK_MS = 20

export const stampOf = ({ ino, ctimeNs, size }: BigIntStats): string => `${ino} ${ctimeNs} ${size}`

export const stampAt = (path: string): string => stampOf(lstatSync(path, { bigint: true }))
