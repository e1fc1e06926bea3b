// `fanlight serve`: starts the application of a project in this process.

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Command } from 'commander'
import { run, type FrontController } from '../../app/run.ts'
import type { Cli } from '../cli.ts'
import { CliError, exitCodes } from '../exit-codes.ts'

/** Adds `serve`. */
export function registerServe(program: Command, cli: Cli): void {
  program
    .command('serve')
    .description('start the application of a project and keep it running')
    .argument('[module]', 'file that exports its front controller, (context) => App', 'app/main.ts')
    .action((module: string) => serve(cli, module))
}

async function serve(cli: Cli, module: string): Promise<void> {
  const path = resolve(cli.cwd, module)
  if (!existsSync(path)) throw new CliError(`there is no ${module} in the working directory`, exitCodes.notFound)
  const imported: unknown = await import(pathToFileURL(path).href)
  const frontController = exportedFrontController(imported)
  if (frontController === undefined) {
    throw new CliError(`${module} exports no front controller; allowed is a function named frontController, or default`)
  }
  await run(frontController)
}

function exportedFrontController(imported: unknown): FrontController | undefined {
  const { frontController, default: byDefault } = imported as { frontController?: unknown; default?: unknown }
  return [frontController, byDefault].find(isFrontController)
}

/** What a function takes and gives cannot be seen before it is called: `run` reports what does not fit. */
function isFrontController(value: unknown): value is FrontController {
  return typeof value === 'function'
}
