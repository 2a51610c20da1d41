/** `assay models`: lists the models, whether each is ready to use, and its price. */
import path from 'node:path'
import { plain } from '@assay/contract'
import { ownVariables } from '../../../environment/index.ts'
import {
  listProviders,
  loadPrices,
  type Price,
  type ProviderStatus,
} from '../../../subject/index.ts'
import { namedIn, providerUses } from '../../../trust/index.ts'
import { printedJson, warn, type Output } from '../../output/output.ts'
import { pricesNotice } from '../../trust/plan-trust.ts'
import { readUses } from '../../trust/plan-uses.ts'
import { trustGate, type Say } from '../../trust/require-trust.ts'
import { takeEnvFile } from '../../settings/env-file.ts'
import { loadSettings } from '../../settings/settings.ts'

export interface ModelsOptions {
  readonly json?: boolean
  /** The folder in which the search for `assay.toml` starts. Default: the working directory. */
  readonly folder?: string
  readonly env?: NodeJS.ProcessEnv
  readonly envFile?: string
  /** Whether `--trust` was given. It allows everything that needs trust, for this command only. */
  readonly trust?: boolean
}

const WIDTH = 80

export async function modelsCommand(
  options: ModelsOptions,
  output: Pick<Output, 'out'> & Say,
): Promise<number> {
  if (options.env === undefined) await takeEnvFile(options.envFile, output)
  const { settings, folder, origins } = await loadSettings({
    folder: options.folder ?? process.cwd(),
  })
  const { env = ownVariables() } = options
  const tables = settings.providers ?? {}
  const reach = {
    providers: tables,
    env,
    providerBy: (name: string) => namedIn(origins.get(`providers.${name}`) ?? folder),
  }
  const gate = trustGate({ ...options, env, ask: null }, output)
  const file = settings.prices === undefined ? null : path.resolve(folder, settings.prices)
  const pricesBy = namedIn(origins.get('prices') ?? folder)
  const mayRead = readUses(file, pricesBy, 'prices').every((use) => gate.allows(use))
  if (!mayRead) warn(output, pricesNotice(settings.prices ?? ''))
  const prices = await loadPrices({ file: mayRead ? file : null })
  const providers = await listProviders({
    prices,
    env,
    providers: tables,
    refusal: (name) =>
      providerUses(name, reach, name).every((use) => gate.allows(use))
        ? null
        : 'not trusted, so not contacted: see assay trust',
  })
  const { source } = prices
  if (options.json === true) {
    output.out(`${printedJson({ providers, prices: source }, 2)}\n`)
    return 0
  }
  const own = source.file === null ? '' : `${settings.prices ?? ''}, then `
  const lines = [
    ...table(
      ['PROVIDER', 'READY', 'WHY'],
      providers.map((status) => [status.provider, status.ready ? 'yes' : 'no', whyOf(status)]),
    ),
    '',
    ...table(
      ['PROVIDER', 'SENT', 'TO (https unless it says http)'],
      providers.map(({ provider, baseUrl, keyFrom }) => [
        provider,
        keyFrom ?? 'no key',
        new URL(baseUrl).origin.replace(/^https:\/\//u, ''),
      ]),
    ),
    '',
    ...table(
      ['DOLLARS PER MILLION TOKENS', 'INPUT', 'CACHED', 'OUTPUT'],
      providers.flatMap(({ provider, prices: known }) =>
        known.map(({ model, price }) => [`${provider}/${model}`, ...priceCells(price)]),
      ),
    ),
    '',
    `Prices: ${own}${source.catalogue.name} ${source.catalogue.version}`,
    'A model is named provider/model: assay run SUITE --model openai/gpt-5',
  ]
  output.out(`${lines.map(plain).join('\n')}\n`)
  return 0
}

function whyOf({ why, models }: ProviderStatus): string {
  return models.length === 0 ? why : `${why}: ${models.join(', ')}`
}

function priceCells({ input, cacheRead, output }: Price): string[] {
  return [input, cacheRead, output].map((price) => (price === null ? '–' : dollars(price)))
}

/** Returns a price with two decimal places if that is exact, otherwise with up to four. */
function dollars(price: number): string {
  const cents = price.toFixed(2)
  return Number(cents) === price ? cents : String(Number(price.toFixed(4)))
}

/** Returns the rows as lines with aligned columns. A line that is still too long is cut at the terminal's width. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const all = [head, ...rows]
  const widths = head.map((_, i) => Math.max(...all.map((row) => (row[i] ?? '').length)))
  return all.map((row) => {
    const line = row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd()
    return line.length <= WIDTH ? line : `${line.slice(0, WIDTH - 1)}…`
  })
}
