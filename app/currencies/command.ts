// The command `currency` of the shop: shows and changes currencies, their rates and the default.
// `npm run fanlight -- run currency -- set CHF --rate 0.95`

import { createReadStream } from 'node:fs'
import { parseArgs } from 'node:util'
import { baseCurrencyCode, currencyCodePattern, isRate, type Currency } from './currency.ts'
import { maxRatesLength, RatesFileError } from './ecb-rates.ts'
import { importRates } from './import.ts'
import { hasSampleRate } from './samples.ts'
import type { CurrencyStore } from './store.ts'

const usage = `list [--all] [--json]       the active currencies; with --all also funds, metals, units of account and test codes
show <code> [--json]        one record
set <code> [--rate <decimal>] [--title <text>] [--sign <text>] [--active | --no-active] [--json]
                            changes one record; with --rate, --title and --sign also makes a new one
default <code> [--json]     marks one record as the default, and no other
import <file> [--json]      takes all rates of the daily file of the European Central Bank, or none; - reads standard input
`

interface Surroundings {
  readonly store: CurrencyStore
  /** Default: standard output and standard error. */
  readonly print?: (text: string) => void
  readonly printError?: (text: string) => void
  /** Wall clock, milliseconds since 1970. Default `Date.now`. */
  readonly now?: () => number
}

/** Something was typed that cannot be done. The message is one line. */
class CommandProblem extends Error {
  readonly exitCode: number

  constructor(message: string, exitCode = 1) {
    super(message)
    this.exitCode = exitCode
  }
}

/** Exit codes of what was not understood, and of what is not there; 1 for the rest. */
const notUnderstood = 2
const notFound = 3

/** Does what the words say and gives the exit code. Rejects with what the store rejects with. */
export async function runCurrencyCommand(words: readonly string[], surroundings: Surroundings): Promise<number> {
  const { print = (text) => process.stdout.write(text), printError = (text) => process.stderr.write(text) } =
    surroundings
  try {
    print(await new CurrencyCommand(surroundings).run(words))
    return 0
  } catch (error) {
    if (!(error instanceof CommandProblem)) throw error
    printError(`${visible(error.message)}\n${error.exitCode === notUnderstood ? usage : ''}`)
    return error.exitCode
  }
}

type Options = ReturnType<typeof readWords>['values']

function readWords(words: readonly string[]) {
  const flag = { type: 'boolean' } as const
  const text = { type: 'string' } as const
  try {
    const options = { all: flag, json: flag, active: flag, 'no-active': flag, rate: text, title: text, sign: text }
    return parseArgs({ args: [...words], options, allowPositionals: true })
  } catch (error) {
    throw new CommandProblem(error instanceof Error ? error.message : String(error), notUnderstood)
  }
}

class CurrencyCommand {
  readonly #store: CurrencyStore
  readonly #now: () => number

  constructor({ store, now = Date.now }: Surroundings) {
    this.#store = store
    this.#now = now
  }

  /** What is printed. */
  async run(words: readonly string[]): Promise<string> {
    const { values, positionals } = readWords(words)
    const [name = '', argument, ...rest] = positionals
    if (name === 'list' && argument === undefined) return this.#list(values)
    const verb = new Map([
      ['show', () => this.#show(codeOf(argument), values)],
      ['set', () => this.#set(codeOf(argument), values)],
      ['default', () => this.#setDefault(codeOf(argument), values)],
      ['import', () => this.#import(argument ?? '', values)],
    ]).get(name)
    if (verb !== undefined && argument !== undefined && rest.length === 0) return verb()
    throw new CommandProblem(`"currency ${words.join(' ').slice(0, 100)}" is not understood`, notUnderstood)
  }

  async #list({ all = false, json = false }: Options): Promise<string> {
    const kept = await this.#store.list()
    const shown = all ? kept : kept.filter((currency) => currency.is_active)
    if (json) return jsonOf(shown)
    const hidden = kept.length - shown.length
    const rows = shown.map((currency) => {
      const { code, sign, rate, rate_at, title } = currency
      return [code, sign, rate, rate_at.slice(0, 10), notesOf(currency), title]
    })
    const rest = hidden === 0 ? '' : `${hidden} more that are not active: --all\n`
    return table([['code', 'sign', 'rate', 'of', 'notes', 'title'], ...rows]) + rest
  }

  async #show(code: string, options: Options): Promise<string> {
    const currency = await this.#store.findByCode(code)
    if (currency === undefined) throw this.#missing(code)
    return recordOf(currency, options)
  }

  /** Changes what was named, and makes a record where rate, title and sign are all given. */
  async #set(code: string, options: Options): Promise<string> {
    checkValues(code, options)
    const { rate, title, sign } = options
    const active = options['no-active'] === true ? false : options.active
    const now = this.#instant()
    return this.#change(options, (kept) => {
      const known = kept.get(code)
      if (active === false && known?.is_default === true) {
        throw new CommandProblem(`${code} is the default currency and stays active; make another one the default first`)
      }
      return [
        {
          ...(known ?? this.#made(code, options, now)),
          ...(rate === undefined ? {} : { rate, rate_at: now }),
          ...(title === undefined ? {} : { title }),
          ...(sign === undefined ? {} : { sign }),
          ...(active === undefined ? {} : { is_active: active }),
          updated_at: now,
        },
      ]
    })
  }

  #made(code: string, { rate, title, sign }: Options, now: string): Currency {
    if (rate === undefined || title === undefined || sign === undefined) {
      throw this.#missing(code, '; a new one needs --rate, --title and --sign')
    }
    const times = { created_at: now, updated_at: now, rate_at: now }
    return { code, title, rate, sign, is_active: true, is_default: false, ...times }
  }

  async #setDefault(code: string, options: Options): Promise<string> {
    const updated_at = this.#instant()
    return this.#change(options, (kept) => {
      const wanted = kept.get(code)
      if (wanted === undefined) throw this.#missing(code)
      if (!wanted.is_active) throw new CommandProblem(`${code} is not active; currency set ${code} --active`)
      const marked = (currency: Currency, is_default: boolean): Currency => ({ ...currency, is_default, updated_at })
      const others = [...kept.values()].filter((other) => other.is_default && other !== wanted)
      return [marked(wanted, true), ...others.map((other) => marked(other, false))]
    })
  }

  /** The first record that `edit` gives is shown. */
  async #change(options: Options, edit: Parameters<CurrencyStore['update']>[0]): Promise<string> {
    this.#refuseMemory()
    const [first] = await this.#store.update(edit)
    return first === undefined ? '' : recordOf(first, options)
  }

  async #import(file: string, { json = false }: Options): Promise<string> {
    this.#refuseMemory()
    const xml = decode(file, await readBounded(file))
    const result = await importRates({ store: this.#store, xml, now: this.#now }).catch((error: unknown) => {
      if (!(error instanceof RatesFileError)) throw error
      throw new CommandProblem(`${file}: ${error.message}; nothing was changed`)
    })
    if (json) return jsonOf(result)
    const untouched = result.untouchedCodes.length
    return [
      `${result.codes.length} rates of ${result.date} imported.\n`,
      untouched === 0 ? '' : `${untouched} active currencies are not in the file and keep their rates.\n`,
    ].join('')
  }

  #refuseMemory(): void {
    if (this.#store.name !== 'memory:') return
    throw new CommandProblem('The store is "memory:", which no other process sees: there is nothing to change')
  }

  #missing(code: string, more = ''): CommandProblem {
    return new CommandProblem(`there is no currency ${code} in ${this.#store.name}${more}`, notFound)
  }

  #instant(): string {
    return new Date(this.#now()).toISOString()
  }
}

function codeOf(text = ''): string {
  if (currencyCodePattern.test(text)) return text
  throw notValid('code', text, 'three upper-case letters')
}

function checkValues(code: string, { rate, title, sign, active, 'no-active': inactive }: Options): void {
  if (rate === undefined && title === undefined && sign === undefined && active === undefined && !inactive) {
    throw new CommandProblem('nothing to set; give --rate, --title, --sign, --active or --no-active', notUnderstood)
  }
  if (active === true && inactive === true) throw notValid('--active', '--no-active', 'one of both')
  if (rate !== undefined && !isRate(rate)) throw notValid('--rate', rate, 'a decimal above zero such as 1.0842')
  if (rate !== undefined && code === baseCurrencyCode) {
    throw new CommandProblem(`${code} is the base; its rate is 1 and cannot be set`, notUnderstood)
  }
  checkText('--title', title, 100)
  checkText('--sign', sign, 16)
}

function checkText(name: string, value: string | undefined, maxLength: number): void {
  if (value === undefined || (value.trim() !== '' && value.length <= maxLength)) return
  throw notValid(name, value, `1 to ${maxLength} characters`)
}

function notValid(name: string, value: string, allowed: string): CommandProblem {
  return new CommandProblem(
    `${name}: ${JSON.stringify(value.slice(0, 60))} is not valid. Use ${allowed}.`,
    notUnderstood,
  )
}

function recordOf(currency: Currency, { json = false }: Options): string {
  if (json) return jsonOf(currency)
  const facts = { ...currency, rate: hasSampleRate(currency) ? `${currency.rate} (sample)` : currency.rate }
  return table(Object.entries(facts).map(([name, value]) => [name, String(value)]))
}

function notesOf(currency: Currency): string {
  const words: string[] = []
  if (currency.is_default) words.push('default')
  if (!currency.is_active) words.push('not active')
  if (hasSampleRate(currency)) words.push('sample')
  return words.join(', ')
}

/** Rows whose columns stand one below the other. */
function table(given: readonly (readonly string[])[]): string {
  const rows = given.map((row) => row.map(visible))
  const widths = rows[0]?.map((_, index) => Math.max(...rows.map((row) => (row[index] ?? '').length))) ?? []
  return rows
    .map(
      (row) =>
        `${row
          .map((cell, index) => cell.padEnd(widths[index] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('')
}

function jsonOf(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

/** What a terminal would obey is spelt out. */
function visible(text: string): string {
  return text.replaceAll(/[\p{C}\u2028\u2029]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)
}

async function readBounded(file: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  try {
    for await (const chunk of file === '-' ? process.stdin : createReadStream(file)) {
      const bytes = chunk as Uint8Array
      length += bytes.length
      if (length > maxRatesLength) throw new CommandProblem(`${file} has more than ${maxRatesLength} bytes`)
      chunks.push(bytes)
    }
  } catch (error) {
    if (error instanceof CommandProblem) throw error
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    if (code === 'ENOENT') throw new CommandProblem(`there is no file ${file}`, notFound)
    const reason = code === 'EISDIR' ? 'it is a directory' : code === 'EACCES' ? 'permission denied' : code
    throw new CommandProblem(`${file} cannot be read: ${reason}`)
  }
  return Buffer.concat(chunks)
}

function decode(file: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new CommandProblem(`${file} is not UTF-8`)
  }
}
