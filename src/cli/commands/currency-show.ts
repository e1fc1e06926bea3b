// Prints currencies: `fanlight currency list` and `show`, and what a change came to.

import type { Currency } from '../../plugins/currency/currency.ts'
import { hasSampleRate } from '../../plugins/currency/seed-currencies.ts'
import type { Engine } from '../../stores/engine.ts'
import type { Cli } from '../cli.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { factLines, tableLines, type Column } from '../table.ts'

/** Options of `list`. */
export interface ListOptions {
  readonly all?: true
  readonly json?: true
}

/** Prints the collection as a table, or says that it is empty. */
export async function listCurrencies(cli: Cli, engine: Engine, options: ListOptions): Promise<void> {
  const kept = await engine.currencies.list()
  const shown = options.all === true ? kept : kept.filter((currency) => currency.is_active)
  if (options.json === true) return cli.terminal.json(shown)
  if (kept.length === 0) {
    cli.terminal.lines(['There are no currencies yet: the application fills the collection when it starts.'])
    return
  }
  const hidden = kept.length - shown.length
  const rest = hidden === 0 ? [] : [cli.terminal.tone('quiet', `${hidden} more that are not active: --all`)]
  cli.terminal.lines([...tableLines(cli.terminal, columns, shown), ...rest])
}

/** Prints one record. Throws a CliError (3) for a code that is not there. */
export async function showCurrency(cli: Cli, engine: Engine, code: string, options: { json?: true }): Promise<void> {
  printCurrency(cli, await findCurrency(engine, code), options)
}

/** The record of a code. Throws a CliError (3) when there is none. */
export async function findCurrency(engine: Engine, code: string): Promise<Currency> {
  const currency = await engine.currencies.findByCode(code)
  if (currency === undefined) throw new CliError(`there is no currency ${code} in ${engine.name}`, exitCodes.notFound)
  return currency
}

/** Prints one record with all of its fields. */
export function printCurrency(cli: Cli, currency: Currency, options: { json?: true }): void {
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
