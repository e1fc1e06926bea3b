// Loads the front controller of a project and starts its application for a command.

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { App } from '../app/app.ts'
import type { FrontController } from '../app/run.ts'
import type { Cli } from './cli.ts'
import { CliError, exitCodes } from './exit-codes.ts'

/** File that exports the front controller where none is named. */
export const defaultModule = 'app/main.ts'

/** Imports a module and finds its front controller. Throws a CliError: 3 for a file that is not there, 1 for one without it. */
export async function loadFrontController(cli: Cli, module: string): Promise<FrontController> {
  const path = resolve(cli.cwd, module)
  if (!existsSync(path)) throw new CliError(`there is no ${module} in the working directory`, exitCodes.notFound)
  const imported: unknown = await import(pathToFileURL(path).href)
  const { frontController, default: byDefault } = imported as { frontController?: unknown; default?: unknown }
  const found = [frontController, byDefault].find(isFrontController)
  if (found !== undefined) return found
  throw new CliError(`${module} exports no front controller; export a function named frontController, or default`)
}

/**
 * Makes the application of a module with a store in memory, so that nothing is written, does the work and closes it. It never
 * listens. What the application prints meanwhile is left out. Throws a CliError of one line for what cannot be started.
 */
export async function withApp<T>(cli: Cli, module: string, work: (app: App) => T): Promise<T> {
  const context = Object.freeze({ ...cli.context(), store: 'memory:' })
  cli.leavesNothingRunning()
  return await withoutOutput(async () => {
    const app = await startedApp(cli, module, context)
    try {
      return work(app)
    } finally {
      await app.close()
    }
  })
}

/**
 * Makes the application of a module with the store of the runtime context, does the work and closes it. It never listens; what
 * it prints is its own. Throws a CliError of one line for what cannot be started.
 */
export async function withStoredApp<T>(cli: Cli, module: string, work: (app: App) => Promise<T>): Promise<T> {
  cli.leavesNothingRunning()
  const app = await startedApp(cli, module, cli.context())
  try {
    return await work(app)
  } finally {
    await app.close()
  }
}

async function startedApp(cli: Cli, module: string, context: App['context']): Promise<App> {
  let made: unknown
  try {
    const frontController = await loadFrontController(cli, module)
    made = await frontController(context)
  } catch (error) {
    if (error instanceof CliError) throw error
    throw new CliError(`${module} cannot be started: ${oneLine(error)}`, exitCodes.failed, { cause: error })
  }
  if (isApp(made)) return made
  throw new CliError(`the front controller of ${module} does not return an App; return what createApp() returns`)
}

/** The first line says it; a route that cannot be built has its pattern and place below. */
function oneLine(error: unknown): string {
  if (!(error instanceof Error)) return `a ${typeof error} was thrown`
  const lines = error.message.split('\n').map((line) => line.trim())
  const isDefinition = 'code' in error && error.code === 'ERR_ROUTE_DEFINITION'
  return (isDefinition ? lines.filter((line) => line !== '^').join(' ') : lines[0]) ?? ''
}

/** What a function takes and gives cannot be seen before it is called. */
function isFrontController(value: unknown): value is FrontController {
  return typeof value === 'function'
}

/** By shape: the application may come with a copy of the library of its own. */
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
