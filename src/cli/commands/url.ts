// `fanlight url`: the URL of a named route.

import type { Command } from 'commander'
import { nearWords } from '../../framework/options/nearest-name.ts'
import { InvalidParamError, MissingParamsError, UnknownRouteError } from '../../framework/routing/errors.ts'
import { UrlGenerator } from '../../framework/routing/url-generator.ts'
import type { Cli } from '../cli.ts'
import { usageError, withJson, withModule, CliError, exitCodes } from '../command.ts'
import { withApp } from '../front-controller.ts'
import { visibleText } from '../terminal.ts'
import { placeOf } from './match.ts'

interface UrlCommandOptions {
  readonly module: string
  readonly absolute?: true
  readonly json?: true
}

export function registerUrl(program: Command, cli: Cli): void {
  withJson(withModule(program.command('url')))
    .description('print the URL of a route')
    .argument('<name>', 'name of the route')
    .argument('[parameters...]', 'key=value …; anything else goes to the query string')
    .option('--absolute', 'with scheme and host, as the application listens')
    .action((name: string, parameters: readonly string[], options: UrlCommandOptions) =>
      showUrl(cli, name, readParams(parameters), options),
    )
}

async function showUrl(
  cli: Cli,
  name: string,
  params: Readonly<Record<string, string>>,
  options: UrlCommandOptions,
): Promise<void> {
  const base = placeOf(cli)
  const type = options.absolute === true ? 'absolute_url' : 'absolute_path'
  const url = await withApp(cli, options.module, ({ routes }) => {
    try {
      return new UrlGenerator(routes, base).generate(name, params, { type })
    } catch (error) {
      throw explained(error, Object.keys(params))
    }
  })
  if (options.json === true) cli.terminal.json({ name, params, url })
  else cli.terminal.lines([visibleText(url)])
}

/** Reads `key=value`; a value may hold further equals signs. Throws a usage error. */
function readParams(words: readonly string[]): Readonly<Record<string, string>> {
  const params = new Map<string, string>()
  for (const word of words) {
    const equals = word.indexOf('=')
    if (equals < 1) throw usageError('parameter', word.slice(0, 100), 'key=value')
    const key = word.slice(0, equals)
    if (params.has(key)) throw usageError('parameter', word.slice(0, 100), 'each key once')
    params.set(key, word.slice(equals + 1))
  }
  return Object.fromEntries(params)
}

function explained(error: unknown, given: readonly string[]): unknown {
  if (error instanceof UnknownRouteError) return new CliError(error.message, exitCodes.notFound)
  if (error instanceof InvalidParamError) return new CliError(error.message, exitCodes.usage)
  if (!(error instanceof MissingParamsError)) return error
  const advice = error.missing.flatMap((name) =>
    nearWords(name, given, 1).map((near) => ` Did you mean ${name}=… where you wrote ${near}=…?`),
  )
  return new CliError(error.message + advice.join(''), exitCodes.usage)
}
