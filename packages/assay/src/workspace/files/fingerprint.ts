/**
 * Whether somebody touched a file since. Its number, its size and the time of its last change of any kind
 * are noted when it is made; that time is the kernel's and nobody can set it, so that a file with the same
 * stamp need not be read to know what it holds. Times of modification say nothing: programs set them.
 */
import { lstatSync, type BigIntStats } from 'node:fs'

/** By path; those of folders end with a slash. */
export type Stamps = Map<string, string>

/**
 * The kernel's clock for files ticks this seldom at worst: what is changed sooner after a stamp than this
 * may look unchanged.
 */
export const STAMP_TICK_MS = 20

export const stampOf = ({ ino, ctimeNs, size }: BigIntStats): string => `${ino} ${ctimeNs} ${size}`

export const stampAt = (path: string): string => stampOf(lstatSync(path, { bigint: true }))
