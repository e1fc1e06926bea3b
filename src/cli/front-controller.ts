// Loads the front controller of a project and starts its application for a command.

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { App } from '../app/app.ts'
import { withWanted } from '../app/process-context.ts'
import type { FrontController } from '../app/run.ts'
import { fillFromEnvFiles } from '../http/config/folder-files.ts'
import { RuntimeContextError } from '../http/config/runtime-context.ts'
import type { Cli } from './cli.ts'
import { CliError, exitCodes } from './command.ts'
import { membersOf } from '../base/members.ts'

/**
 * Sets what the `.env` files say, imports a module and finds its front controller: what it exports, or would run. Throws a CliError:
 * 3 for a file that is not there, 1 for one without it.
 */
export async function loadFrontController(cli: Cli, module: string, command?: string | null): Promise<FrontController> {
  const path = resolve(cli.cwd, module)
  if (!existsSync(path)) throw new CliError(`there is no ${module} in the working directory`, exitCodes.notFound)
  fillFromEnvFiles(cli.cwd, cli.env)
  const { promise: given, resolve: take } = Promise.withResolvers<unknown>()
  const imported: unknown = await withWanted({ command, take }, () =>
    Promise.race([given.then((frontController) => ({ frontController })), import(pathToFileURL(path).href)]),
  )
  const { frontController, default: byDefault } = membersOf(imported)
  const found = [frontController, byDefault].find(isFrontController)
  if (found !== undefined) return found
  throw new CliError(`${module} exports no front controller; export a function named frontController, or default`)
}

/**
 * Makes the application of a module with a store in memory and starts nothing of it, does the work and closes it. What the application
 * prints meanwhile is left out. Throws a CliError for what cannot be made.
 */
export async function withApp<T>(cli: Cli, module: string, work: (app: App) => T): Promise<T> {
  return withoutOutput(async () => withStoredApp(cli, module, null, work))
}

/**
 * Makes the application of a module with the store of the runtime context, starts what the command needs, does the work and closes it. It
 * never listens; what it prints is its own. Throws a CliError for what cannot be started.
 */
export async function withStoredApp<T>(
  cli: Cli,
  module: string,
  command: string | null,
  work: (app: App) => T | Promise<T>,
): Promise<T> {
  cli.leavesNothingRunning()
  const context = cli.ofLibrary.context()
  const app: unknown = await startOrReport(cli, module, async () => {
    const frontController = await loadFrontController(cli, module, command)
    return withWanted({ command, take: () => undefined }, () => frontController(context))
  })
  if (!isApp(app))
    throw new CliError(`the front controller of ${module} does not return an App; return what createApp() returns`)
  try {
    return await work(app)
  } finally {
    await app.close()
  }
}

/** Does work with the code of a module. Throws a CliError with the error in full for what that code throws. */
export async function startOrReport<T>(cli: Cli, module: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof CliError) throw error
    const message = `${module} cannot be started`
    if (error instanceof RuntimeContextError)
      throw new CliError(`${message}: ${error.message}`, exitCodes.failed, { cause: error })
    const { thrownReport } = await import('../app/thrown-report.ts')
    const isTerminal = cli.terminal.hasColourfulErrors
    const report = thrownReport({ heading: `fanlight: ${message}`, thrown: error, isTerminal })
    throw new CliError(message, exitCodes.failed, { cause: error, report })
  }
}

/** What a function takes and gives cannot be seen before it is called. */
function isFrontController(value: unknown): value is FrontController {
  return typeof value === 'function'
}

/** By shape: the application may use its own copy of the library. */
function isApp(value: unknown): value is App {
  return typeof value === 'object' && value !== null && 'routes' in value && 'close' in value
}

/** Does the work; what is written to standard output meanwhile is dropped. Standard error is left alone. */
export async function withoutOutput<T>(work: () => Promise<T>): Promise<T> {
  const { stdout } = process
  const write = stdout.write
  stdout.write = (_chunk: unknown, encoding?: unknown, done?: unknown): boolean => {
    const callback = typeof encoding === 'function' ? encoding : done
    if (typeof callback === 'function') process.nextTick(callback)
    return true
  }
  try {
    return await work()
  } finally {
    stdout.write = write
  }
}
