/**
 * Computes stamps, which show whether a file was touched. A stamp contains the file's inode number, its size and
 * its ctime (the time of its last change of any kind). The kernel sets the ctime and no program can set it. So a
 * file whose stamp is unchanged does not have to be read again. Modification times are useless for this, because
 * programs can set them.
 */
import { lstatSync, type BigIntStats } from 'node:fs'

/** Stamps by path. The paths of folders end with a slash. */
export type Stamps = Map<string, string>

/**
 * The longest tick of the kernel's clock for file times. If a file changes within this time after its stamp was
 * read, the stamp may stay the same.
 */
export const STAMP_TICK_MS = 20

export const stampOf = ({ ino, ctimeNs, size }: BigIntStats): string => `${ino} ${ctimeNs} ${size}`

export const stampAt = (path: string): string => stampOf(lstatSync(path, { bigint: true }))
