// `fanlight currency`: the records of the collection `currencies`, their rates and the default one.

import type { Command } from 'commander'
import { currencyCodePattern } from '../../plugins/currency/currency.ts'
import type { Cli } from '../cli.ts'
import { usageError, withJson } from '../command.ts'
import { setDefaultCurrency, setCurrency, type SetOptions } from './currency-change.ts'
import { importCurrencyRates } from './currency-import.ts'
import { listCurrencies, showCurrency, type ListOptions } from './currency-show.ts'

/** Adds `currency list|show|set|default|import`. */
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
    .option('--sign <text>', 'what stands before or after an amount')
    .option('--active', 'offer it')
    .option('--no-active', 'offer it no more')
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
  throw usageError('The code', value.slice(0, 40), 'three upper-case letters')
}
