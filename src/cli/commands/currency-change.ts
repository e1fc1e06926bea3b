// Changes currencies: `fanlight currency set` and `default`.

import { isRate } from '../../plugins/currency/currency-problem.ts'
import { baseCurrencyCode, type Currency } from '../../plugins/currency/currency.ts'
import type { Engine } from '../../stores/engine.ts'
import type { Cli } from '../cli.ts'
import { usageError } from '../command.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { findCurrency, printCurrency } from './currency-show.ts'

/** Options of `set`. */
export interface SetOptions {
  readonly rate?: string
  readonly title?: string
  readonly sign?: string
  readonly active?: boolean
  readonly json?: true
}

/** Changes what was named, and makes a record where rate, title and sign are all given. Throws a CliError for the rest. */
export async function setCurrency(cli: Cli, code: string, options: SetOptions): Promise<void> {
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
export async function setDefaultCurrency(
  cli: Cli,
  engine: Engine,
  code: string,
  options: { json?: true },
): Promise<void> {
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
    throw new CliError('nothing to set: --rate, --title, --sign, --active or --no-active is missing', exitCodes.usage)
  }
  if (rate !== undefined && !isRate(rate))
    throw usageError('--rate', rate.slice(0, 60), 'a decimal above zero as "1.0842"')
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
