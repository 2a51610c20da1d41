/**
 * Explains to the user why bubblewrap does not work on this machine and what to do about it. Bubblewrap needs
 * namespaces, and distributions and containers forbid them in different ways. The error message of bubblewrap and the
 * settings of the system show which restriction applies.
 */
import { existsSync, readFileSync } from 'node:fs'

/** The facts about the machine that the explanation depends on. */
export interface Machine {
  readonly platform: string
  readonly isContainer: boolean
  readonly isRoot: boolean
  /** Returns the value of a kernel setting such as `kernel.unprivileged_userns_clone`, or null if it does not exist. */
  readonly setting: (name: string) => string | null
}

export function thisMachine(): Machine {
  return {
    platform: process.platform,
    isContainer:
      existsSync('/.dockerenv') ||
      existsSync('/run/.containerenv') ||
      process.env['container'] !== undefined ||
      process.env['KUBERNETES_SERVICE_HOST'] !== undefined,
    isRoot: process.getuid?.() === 0,
    setting(name) {
      try {
        return readFileSync(`/proc/sys/${name.replaceAll('.', '/')}`, 'utf8').trim()
      } catch {
        return null
      }
    },
  }
}

export const WITHOUT =
  'Without isolation, for code that you would run yourself anyway: --sandbox none (stamped on the run).'

const INSTALL = [
  'Install bubblewrap and util-linux:',
  '  Debian, Ubuntu   apt install bubblewrap',
  '  Fedora, RHEL     dnf install bubblewrap',
  '  Arch             pacman -S bubblewrap',
  '  openSUSE         zypper install bubblewrap',
]

const APPARMOR = [
  'AppArmor keeps programs from making user namespaces here (Ubuntu 23.10 and newer do so).',
  'Allow it for bubblewrap alone, with this text in /etc/apparmor.d/bwrap:',
  '  abi <abi/4.0>,',
  '  include <tunables/global>',
  '  profile bwrap /usr/bin/bwrap flags=(unconfined) {',
  '    userns,',
  '  }',
  'and then: sudo apparmor_parser -r /etc/apparmor.d/bwrap',
  'Or for all programs: sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0',
]

const CONTAINER = [
  'This is a container that does not allow namespaces. Start it so that it does:',
  '  docker run --security-opt seccomp=unconfined --security-opt apparmor=unconfined …',
  '  or, with root inside: docker run --cap-add SYS_ADMIN --security-opt apparmor=unconfined …',
  '  Kubernetes: securityContext: { privileged: true } for this container',
]

const setTo = (name: string, value: string): string[] => [
  `The kernel's setting ${name} forbids user namespaces. Allow them:`,
  `  sudo sysctl -w ${name}=${value}`,
  `  and, to keep it, the line ${name}=${value} in a file in /etc/sysctl.d`,
]

const tooMany = (most: string | null): string[] => [
  `No more user namespaces may be made here: user.max_user_namespaces is ${most ?? 'not known'}, or they are nested too deep.`,
  '  inside of another sandbox (Flatpak, bwrap --disable-userns): run Assay outside of it',
  '  else: sudo sysctl -w user.max_user_namespaces=15000',
]

/** Explains an error message of bubblewrap and says what to do. */
export function remedyFor(said: string, machine: Machine): string {
  return explained(`bubblewrap does not work here: ${said}`, remedy(said, machine))
}

/** Returns the message `what` (a program is missing or too old), followed by how to install it. */
export const howToInstall = (what: string): string => explained(what, INSTALL)

export function notHere(platform: string): string {
  const systems: Readonly<Record<string, string>> = { darwin: 'macOS', win32: 'Windows' }
  return explained(`there is no sandbox for ${systems[platform] ?? platform} yet`, [
    platform === 'win32'
      ? 'Run Assay in WSL, with bubblewrap installed there, or on a Linux machine.'
      : 'Run Assay on Linux (a virtual machine will do), with bubblewrap installed there.',
  ])
}

function remedy(said: string, { setting, isContainer, isRoot }: Machine): readonly string[] {
  const isForbidden = /permission|not permitted|permitted|namespace|uid map|RTM_NEWADDR/i.test(said)
  if (!isForbidden) return []
  if (!isRoot && setting('kernel.unprivileged_userns_clone') === '0')
    return setTo('kernel.unprivileged_userns_clone', '1')
  if (setting('user.max_user_namespaces') === '0') return setTo('user.max_user_namespaces', '15000')
  // These messages come from the kernel, so they are checked before the signs of a container, which are less
  // reliable.
  if (/ENOSPC|nesting depth|max_\*?\w*_?namespaces exceeded/i.test(said))
    return tooMany(setting('user.max_user_namespaces'))
  const isRestricted = setting('kernel.apparmor_restrict_unprivileged_userns') === '1'
  if (isRestricted && !isContainer) return APPARMOR
  if (isContainer) return isRestricted ? [...CONTAINER, ...APPARMOR] : CONTAINER
  if (/uid map: Permission denied|RTM_NEWADDR/i.test(said)) return APPARMOR
  return [
    'The kernel does not let this user make namespaces: the setting user.max_user_namespaces,',
    'a security module (AppArmor, SELinux) or a surrounding sandbox forbids it.',
  ]
}

const explained = (what: string, lines: readonly string[]): string =>
  [what, ...lines, WITHOUT].join('\n')
