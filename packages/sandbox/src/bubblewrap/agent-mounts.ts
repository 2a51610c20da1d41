/**
 * What an open program, an agent, sees beside what it reads and shares: a usual machine on which nobody has
 * worked yet. All of /usr, the few files of /etc that names, certificates and the time of day need, a /proc
 * of its own processes, the usual devices, a user called agent. Not there are everybody's home, /run, /var,
 * the machine's /tmp and whatever else was installed outside of /usr; Assay itself is covered where it lies
 * in something that is shown.
 */
import { existsSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'

const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32']
const SETTINGS = [
  ...['ld.so.cache', 'ld.so.conf', 'ld.so.conf.d', 'alternatives', 'os-release'],
  // Names.
  ...['resolv.conf', 'hosts', 'host.conf', 'nsswitch.conf', 'gai.conf', 'services', 'protocols'],
  // Certificates, in the places of all distributions; never the folders of private keys beside them.
  ...['ssl/certs', 'ssl/cert.pem', 'ssl/openssl.cnf', 'ca-certificates', 'crypto-policies'],
  ...['pki/tls/certs', 'pki/tls/cert.pem', 'pki/tls/openssl.cnf', 'pki/ca-trust'],
  // Time and kinds of files.
  ...['localtime', 'timezone', 'mime.types'],
].map((name) => join('/etc', name))

/** What is there of it. A link that leads nowhere is left out, as programs would find nothing there. */
export const openPaths = (): string[] => [...SYSTEM, ...SETTINGS].filter((path) => existsSync(path))

const PACKAGES = ['assay', '@assay/code', '@assay/contract', '@assay/metrics', '@assay/sandbox']

/** The folders of Assay's own packages: agents must not read how cases are graded. */
export const OWN_PACKAGES: readonly string[] = ownPackages(import.meta.dirname)

/** The package around this file, and the others where a package manager puts them: flat, nested or linked. */
function ownPackages(from: string): string[] {
  const found = new Set<string>()
  for (let at = from; at !== dirname(at); at = dirname(at)) {
    if (found.size === 0 && existsSync(join(at, 'package.json'))) found.add(at)
    for (const name of PACKAGES) {
      const folder = join(at, 'node_modules', name)
      if (existsSync(join(folder, 'package.json'))) found.add(realpathSync(folder))
    }
  }
  return [...found]
}

/** Memory that processes share by name; browsers and Python's pools need some. */
const SHARED_MEMORY_BYTES = 256 * 1024 * 1024

/** Descriptors of the two texts of `accounts`. */
export interface AccountsAt {
  readonly passwd: number
  readonly group: number
}

/** `temporaryBytes`: of its own /tmp; 0 for none. */
export const openArguments = (at: AccountsAt, temporaryBytes: number): string[] => [
  ...['--proc', '/proc', '--dev', '/dev'],
  ...['--perms', '1777', '--size', String(SHARED_MEMORY_BYTES), '--tmpfs', '/dev/shm'],
  // In a namespace of users it would be the program's own, and memory that nothing limits.
  ...['--remount-ro', '/dev'],
  ...['--perms', '0755', '--dir', '/etc'],
  ...['--perms', '0644', '--ro-bind-data', String(at.passwd), '/etc/passwd'],
  ...['--perms', '0644', '--ro-bind-data', String(at.group), '/etc/group'],
  ...(temporaryBytes === 0
    ? []
    : ['--perms', '1777', '--size', String(temporaryBytes), '--tmpfs', '/tmp']),
]

const NAME = 'agent'

/** For programs that look up who they are; root and nobody are whom files of the system belong to. */
export function accounts(
  { uid, gid }: { readonly uid: number; readonly gid: number },
  home: string,
): { readonly passwd: string; readonly group: string } {
  // A home that would end its line is a home that nobody can look up.
  const known = /[:\n]/.test(home) ? '/' : home
  const shell = existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh'
  return {
    passwd: lines(
      'root:x:0:0:root:/root:/bin/sh',
      `${NAME}:x:${uid}:${gid}::${known}:${shell}`,
      'nobody:x:65534:65534:nobody:/:/bin/sh',
    ),
    group: lines('root:x:0:', `${NAME}:x:${gid}:`, 'nogroup:x:65534:'),
  }
}

const lines = (...all: readonly string[]): string => all.map((line) => `${line}\n`).join('')
