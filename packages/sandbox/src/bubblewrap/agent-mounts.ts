/**
 * The files that an agent (a program with `open`) sees in addition to the paths that it reads and shares. They look
 * like a freshly installed machine: all of `/usr`, the few files of `/etc` for names, certificates and time zones, a
 * `/proc` with only the agent's own processes, the usual devices, and a user called agent. The agent sees no home
 * folder of the machine, no `/run`, no `/var`, not the machine's `/tmp`, and nothing else that is installed outside
 * of `/usr`. If Assay itself is installed inside a visible folder, an empty folder hides it.
 */
import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'

const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32']
const SETTINGS = [
  ...['ld.so.cache', 'ld.so.conf', 'ld.so.conf.d', 'alternatives', 'os-release'],
  // Files for name resolution.
  ...['resolv.conf', 'hosts', 'host.conf', 'nsswitch.conf', 'gai.conf', 'services', 'protocols'],
  // Files with certificates, at the paths of all distributions. The folders with private keys next to them are left
  // out.
  ...['ssl/certs', 'ssl/cert.pem', 'ssl/openssl.cnf', 'ca-certificates', 'crypto-policies'],
  ...['pki/tls/certs', 'pki/tls/cert.pem', 'pki/tls/openssl.cnf', 'pki/ca-trust'],
  // Files for the time zone and MIME types.
  ...['localtime', 'timezone', 'mime.types'],
].map((name) => join('/etc', name))

/** Returns the folders with Java's own settings. On some distributions they are in `/etc`, one for each version. */
const javaSettings = (): string[] =>
  readdirSync('/etc')
    .filter((name) => /^java-\d+-openjdk$/.test(name))
    .map((name) => join('/etc', name))

/** Returns the paths of `SYSTEM` and `SETTINGS` that exist. A broken symbolic link counts as missing. */
export const openPaths = (): string[] =>
  [...SYSTEM, ...SETTINGS, ...javaSettings()].filter((path) => existsSync(path))

const PACKAGES = ['assay', '@assay/code', '@assay/contract', '@assay/metrics', '@assay/sandbox']

/** The folders of Assay's own packages. They are hidden from agents, because their code shows how cases are graded. */
export const OWN_PACKAGES: readonly string[] = ownPackages(import.meta.dirname)

/**
 * Finds the folders of this package and of Assay's other packages. Package managers install them in different ways:
 * flat, nested or linked.
 */
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

/** The size of named shared memory (`/dev/shm`), which browsers and Python's process pools need. */
const SHARED_MEMORY_BYTES = 256 * 1024 * 1024

/** The file descriptors of the two texts that `accounts` returns. */
export interface AccountsAt {
  readonly passwd: number
  readonly group: number
}

/**
 * Returns the arguments of bubblewrap for an agent. `temporaryBytes` is the size of the agent's own `/tmp`; 0 for
 * none.
 */
export const openArguments = (at: AccountsAt, temporaryBytes: number): string[] => [
  ...['--proc', '/proc', '--dev', '/dev'],
  ...['--perms', '1777', '--size', String(SHARED_MEMORY_BYTES), '--tmpfs', '/dev/shm'],
  // Without this, an agent in a user namespace would own `/dev` and could store unlimited data there, in memory.
  ...['--remount-ro', '/dev'],
  ...['--perms', '0755', '--dir', '/etc'],
  ...['--perms', '0644', '--ro-bind-data', String(at.passwd), '/etc/passwd'],
  ...['--perms', '0644', '--ro-bind-data', String(at.group), '/etc/group'],
  ...(temporaryBytes === 0
    ? []
    : ['--perms', '1777', '--size', String(temporaryBytes), '--tmpfs', '/tmp']),
]

const NAME = 'agent'

/**
 * Returns the texts of /etc/passwd and /etc/group, for programs that look up their user. Root and nobody are in
 * them because they own files of the system.
 */
export function accounts(
  { uid, gid }: { readonly uid: number; readonly gid: number },
  home: string,
): { readonly passwd: string; readonly group: string } {
  // The file cannot contain a path with a colon or a line break, so such a home is replaced by `/`.
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
