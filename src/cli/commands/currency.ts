// `fanlight currency`: shows and changes currencies, their rates and the default.

import { open } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { currencyCodePattern, type Currency, baseCurrencyCode } from '../../plugins/currency/currency.ts'
import type { Cli } from '../cli.ts'
import { usageError, withJson } from '../command.ts'
import { maxRatesLength } from '../../plugins/currency/ecb-rates.ts'
import { RatesFileError } from '../../plugins/currency/rates-file-error.ts'
import { importRates, type RatesImport } from '../../plugins/currency/rates-import.ts'
import { hasSampleRate } from '../../plugins/currency/seed-currencies.ts'
import type { Engine } from '../../stores/engine.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { factLines, tableLines, type Column } from '../table.ts'
import { isRate } from '../../plugins/currency/currency-problem.ts'

export function registerCurrency(program: Command, cli: Cli): void {
  const currency = program.command('currency').description('look at and change currencies and their rates')
  withJson(currency.command('list'))
    .description('list the active currencies')
    .option('--all', 'list funds, metals, units of account and test codes too')
    .action((options: ListOptions) => cli.withEngine((engine) => listCurrencies(cli, engine, options)))
  withJson(currency.command('show'))
    .description('show one record')
    .argument('<code>', 'three upper-case letters', parseCode)
    .action((code: string, options: { json?: true }) =>
      cli.withEngine((engine) => showCurrency(cli, engine, code, options)),
    )
  withJson(currency.command('set'))
    .description('change one record; with --rate, --title and --sign also make a new one')
    .argument('<code>', 'three upper-case letters', parseCode)
    .option('--rate <decimal>', 'units for one euro, exactly: 1.0842')
    .option('--title <text>', 'name')
    .option('--sign <text>', 'symbol shown before or after an amount')
    .option('--active', 'offer it')
    .option('--no-active', 'stop offering it')
    .action((code: string, options: SetOptions) => setCurrency(cli, code, options))
  withJson(currency.command('default'))
    .description('mark one record as the default')
    .argument('<code>', 'three upper-case letters', parseCode)
    .action((code: string, options: { json?: true }) =>
      cli.withEngine((engine) => setDefaultCurrency(cli, engine, code, options)),
    )
  withJson(currency.command('import'))
    .description('take all rates of a daily file of the European Central Bank (eurofxref-daily.xml), or none')
    .argument('<file>', 'path of the file; - reads standard input')
    .action((file: string, options: { json?: true }) => importCurrencyRates(cli, file, options))
}

function parseCode(value: string): string {
  if (currencyCodePattern.test(value)) return value
  throw usageError('code', value.slice(0, 40), 'three upper-case letters')
}

interface ListOptions {
  readonly all?: true
  readonly json?: true
}

async function listCurrencies(cli: Cli, engine: Engine, options: ListOptions): Promise<void> {
  const kept = await engine.currencies.list()
  const shown = options.all === true ? kept : kept.filter((currency) => currency.is_active)
  if (options.json === true) return cli.terminal.json(shown)
  if (kept.length === 0) {
    cli.terminal.lines(['There are no currencies yet; the application adds them when it starts.'])
    return
  }
  const hidden = kept.length - shown.length
  const rest = hidden === 0 ? [] : [cli.terminal.tone('quiet', `${hidden} more that are not active: --all`)]
  cli.terminal.lines([...tableLines(cli.terminal, columns, shown), ...rest])
}

/** Prints one record. Throws a CliError (3) for a code that is not there. */
async function showCurrency(cli: Cli, engine: Engine, code: string, options: { json?: true }): Promise<void> {
  printCurrency(cli, await findCurrency(engine, code), options)
}

/** The record of a code. Throws a CliError (3) when there is none. */
async function findCurrency(engine: Engine, code: string): Promise<Currency> {
  const currency = await engine.currencies.findByCode(code)
  if (currency === undefined) throw new CliError(`there is no currency ${code} in ${engine.name}`, exitCodes.notFound)
  return currency
}

function printCurrency(cli: Cli, currency: Currency, options: { json?: true }): void {
  if (options.json === true) return cli.terminal.json(currency)
  const rate = hasSampleRate(currency) ? `${currency.rate} (sample)` : currency.rate
  const facts: readonly (readonly [string, string])[] = [
    ['code', currency.code],
    ['title', currency.title],
    ['sign', currency.sign],
    ['rate', rate],
    ['rate_at', currency.rate_at],
    ['is_active', String(currency.is_active)],
    ['is_default', String(currency.is_default)],
    ['created_at', currency.created_at],
    ['updated_at', currency.updated_at],
  ]
  cli.terminal.lines(factLines(cli.terminal, facts))
}

const columns: readonly Column<Currency>[] = [
  { title: 'code', cell: ({ code }) => code, tone: () => 'strong' },
  { title: 'sign', cell: ({ sign }) => sign },
  { title: 'rate', cell: ({ rate }) => rate, align: 'right' },
  { title: 'of', cell: ({ rate_at }) => rate_at.slice(0, 10) },
  { title: 'notes', cell: notes, isFlexible: true, tone: () => 'quiet' },
  { title: 'title', cell: ({ title }) => title, isFlexible: true },
]

function notes(currency: Currency): string {
  const words: string[] = []
  if (currency.is_default) words.push('default')
  if (!currency.is_active) words.push('not active')
  if (hasSampleRate(currency)) words.push('sample')
  return words.join(', ')
}

interface SetOptions {
  readonly rate?: string
  readonly title?: string
  readonly sign?: string
  readonly active?: boolean
  readonly json?: true
}

/** Changes what was named, and makes a record where rate, title and sign are all given. Throws a CliError for the rest. */
async function setCurrency(cli: Cli, code: string, options: SetOptions): Promise<void> {
  checkValues(code, options)
  await cli.withEngine(async (engine) => {
    const changed = await change(cli, engine, code, options)
    await engine.currencies.upsert([changed])
    printCurrency(cli, changed, options)
  })
}

async function change(cli: Cli, engine: Engine, code: string, options: SetOptions): Promise<Currency> {
  const now = new Date(cli.now()).toISOString()
  const known = await engine.currencies.findByCode(code)
  if (options.active === false && known?.is_default === true) {
    throw new CliError(`${code} is the default currency and stays active; make another one the default first`)
  }
  return {
    ...(known ?? newCurrency(engine, code, options, now)),
    ...(options.rate === undefined ? {} : { rate: options.rate, rate_at: now }),
    ...(options.title === undefined ? {} : { title: options.title }),
    ...(options.sign === undefined ? {} : { sign: options.sign }),
    ...(options.active === undefined ? {} : { is_active: options.active }),
    updated_at: now,
  }
}

/** Moves the mark of the default record. Throws a CliError for a code that is not there or not active. */
async function setDefaultCurrency(cli: Cli, engine: Engine, code: string, options: { json?: true }): Promise<void> {
  const wanted = await findCurrency(engine, code)
  if (!wanted.is_active) throw new CliError(`${code} is not active; fanlight currency set ${code} --active`)
  const updated_at = new Date(cli.now()).toISOString()
  const others = (await engine.currencies.list()).filter((currency) => currency.is_default && currency.code !== code)
  const changed: Currency = { ...wanted, is_default: true, updated_at }
  await engine.currencies.upsert([...others.map((other) => withoutDefault(other, updated_at)), changed])
  printCurrency(cli, changed, options)
}

function withoutDefault(currency: Currency, updated_at: string): Currency {
  return { ...currency, is_default: false, updated_at }
}

function checkValues(code: string, options: SetOptions): void {
  const { rate, title, sign, active } = options
  if (rate === undefined && title === undefined && sign === undefined && active === undefined) {
    throw new CliError('nothing to set; give --rate, --title, --sign, --active or --no-active', exitCodes.usage)
  }
  if (rate !== undefined && !isRate(rate))
    throw usageError('--rate', rate.slice(0, 60), 'a decimal above zero such as 1.0842')
  if (rate !== undefined && code === baseCurrencyCode) {
    throw new CliError(`${code} is the base; its rate is 1 and cannot be set`, exitCodes.usage)
  }
  checkText('--title', title, 100)
  checkText('--sign', sign, 16)
}

function checkText(name: string, value: string | undefined, maxLength: number): void {
  if (value === undefined || (value.trim() !== '' && value.length <= maxLength)) return
  throw usageError(name, value.slice(0, 40), `1 to ${maxLength} characters`)
}

function newCurrency(engine: Engine, code: string, options: SetOptions, now: string): Currency {
  const { rate, title, sign } = options
  if (rate === undefined || title === undefined || sign === undefined) {
    const hint = 'a new one needs --rate, --title and --sign'
    throw new CliError(`there is no currency ${code} in ${engine.name}; ${hint}`, exitCodes.notFound)
  }
  const times = { created_at: now, updated_at: now, rate_at: now }
  return { code, title, rate, sign, is_active: true, is_default: false, ...times }
}

/** Imports a file and says what came of it. Throws a CliError for a file that cannot be read, and what the import throws. */
async function importCurrencyRates(cli: Cli, file: string, options: { json?: true }): Promise<void> {
  const xml = decode(file, await readBounded(cli, file))
  const result = await cli.withEngine((engine) => importText(cli, engine, file, xml))
  if (options.json === true) return cli.terminal.json(result)
  const lines = [`${result.codes.length} rates of ${result.date} imported.`]
  const untouched = result.untouchedCodes.length
  if (untouched > 0)
    lines.push(cli.terminal.tone('quiet', `${untouched} active currencies are not in the file and keep their rates.`))
  cli.terminal.lines(lines)
}

async function importText(cli: Cli, engine: Engine, file: string, xml: string): Promise<RatesImport> {
  try {
    return await importRates({ store: engine.currencies, xml, now: cli.now })
  } catch (error) {
    if (!(error instanceof RatesFileError)) throw error
    throw new CliError(`${file}: ${error.message}; nothing was changed`, exitCodes.failed, { cause: error })
  }
}

async function readBounded(cli: Cli, file: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  try {
    for await (const chunk of await openSource(cli, file)) {
      const bytes = chunk as Uint8Array
      length += bytes.length
      if (length > maxRatesLength) throw new CliError(`${file} has more than ${maxRatesLength} bytes`)
      chunks.push(bytes)
    }
  } catch (error) {
    throw error instanceof CliError ? error : cannotRead(file, error)
  }
  return Buffer.concat(chunks)
}

async function openSource(cli: Cli, file: string): Promise<AsyncIterable<unknown>> {
  if (file === '-') return process.stdin
  const handle = await open(resolve(cli.cwd, file))
  return handle.createReadStream({ highWaterMark: 65_536 })
}

function cannotRead(file: string, error: unknown): CliError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
  if (code === 'ENOENT') return new CliError(`there is no file ${file}`, exitCodes.notFound, { cause: error })
  const reason = code === 'EISDIR' ? 'it is a directory' : code === 'EACCES' ? 'permission denied' : code
  return new CliError(`${file} cannot be read: ${reason}`, exitCodes.failed, { cause: error })
}

function decode(file: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new CliError(`${file} is not UTF-8`, exitCodes.failed, { cause })
  }
}
