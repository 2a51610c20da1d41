/**
 * Installs the agents in the versions that package-lock.json pins, into a cache folder of the user. Install scripts
 * are not run. A second run uses the installed agents. Of opencode and Cline, the packages with the programs for Linux on
 * x64 are installed; the packages that choose one of them would only add it.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

const HERE = import.meta.dirname
const INSTALL_MS = 800_000

/** The path of each agent's program. */
export interface Programs {
  readonly claude: string
  readonly codex: string
  readonly gemini: string
  readonly opencode: string
  readonly copilot: string
  readonly qwen: string
  readonly cline: string
  readonly claudeAcp: string
}

export function installAgents(): Programs {
  const lock = readFileSync(join(HERE, 'package-lock.json'))
  const version = createHash('sha256').update(lock).digest('hex').slice(0, 12)
  const caches = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache')
  const folder = join(caches, `agents-under-test-${version}`)
  const done = join(folder, 'installed')
  if (!existsSync(done)) {
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    for (const name of ['package.json', 'package-lock.json'])
      copyFileSync(join(HERE, name), join(folder, name))
    execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
      cwd: folder,
      timeout: INSTALL_MS,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    writeFileSync(done, '')
  }
  const modules = join(folder, 'node_modules')
  return {
    // Normally an install script would put its start file in place.
    claude: join(modules, `@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`),
    codex: join(modules, '.bin/codex'),
    gemini: join(modules, '.bin/gemini'),
    opencode: join(modules, `opencode-${process.platform}-${process.arch}/bin/opencode`),
    copilot: join(modules, `@github/copilot-${process.platform}-${process.arch}/copilot`),
    qwen: join(modules, '.bin/qwen'),
    cline: join(modules, `@cline/cli-${process.platform}-${process.arch}/bin/cline`),
    claudeAcp: join(modules, '.bin/claude-agent-acp'),
  }
}
