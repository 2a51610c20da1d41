/**
 * Detects whether a file was touched. The stamp contains its inode number, its size and its ctime (the time
 * of its last change of any kind). The kernel sets the ctime and no program can set it. So a file with the
 * same stamp does not have to be read again. Modification times are useless for this, because programs can
 * set them.
 */
import { lstatSync, type BigIntStats } from 'node:fs'

/** Stamps by path; paths of folders end with a slash. */
export type Stamps = Map<string, string>

/**
 * The coarsest tick of the kernel's clock for files. A change within this time after a stamp may look like no
 * change.
 */
export const STAMP_TICK_MS = 20

export const stampOf = ({ ino, ctimeNs, size }: BigIntStats): string => `${ino} ${ctimeNs} ${size}`

export const stampAt = (path: string): string => stampOf(lstatSync(path, { bigint: true }))
