// `fanlight currency import`: reads a rates file, bounded, and hands it to the import.

import { open } from 'node:fs/promises'
import { resolve } from 'node:path'
import { maxRatesLength } from '../../plugins/currency/ecb-rates.ts'
import { RatesFileError } from '../../plugins/currency/rates-file-error.ts'
import { importRates, type RatesImport } from '../../plugins/currency/rates-import.ts'
import type { Engine } from '../../stores/engine.ts'
import type { Cli } from '../cli.ts'
import { CliError, exitCodes } from '../exit-codes.ts'

/** Imports a file and says what came of it. Throws a CliError for a file that cannot be read, and what the import throws. */
export async function importCurrencyRates(cli: Cli, file: string, options: { json?: true }): Promise<void> {
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
