/** Opens an address in the user's browser. A failure is ignored, because the address is printed anyway. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { findProgram, programPath } from '@assay/sandbox'

/**
 * Returns the full path of the program. For a program without a path, Windows would search the current folder first.
 */
const rundll32 = (): string =>
  join(process.env['SystemRoot'] ?? 'C:\\Windows', 'System32', 'rundll32.exe')

function opener(): readonly string[] {
  if (process.platform === 'darwin') return ['/usr/bin/open']
  if (process.platform === 'win32') return [rundll32(), 'url.dll,FileProtocolHandler']
  const found = findProgram('xdg-open')
  return found === null ? [] : [found]
}

export function openBrowser(address: string): void {
  const [program, ...args] = opener()
  if (program === undefined) return
  const child = spawn(program, [...args, address], {
    stdio: 'ignore',
    detached: true,
    // xdg-open is a script that starts other programs by name. None may come from the folder that the user works in.
    cwd: '/',
    env: { ...process.env, PATH: programPath() },
  })
  child.on('error', () => {})
  child.unref()
}
