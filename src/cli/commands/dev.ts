// `fanlight serve` starts the application of a project in this process, `fanlight dev` in development: a file that is watched, or any program
// so that every Node process of it is observed.

import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { libraryRoot } from '../../base/own-package.ts'
import type { Cli } from '../cli.ts'
import { CliError, defaultModule, exitCodes } from '../command.ts'
import { watchProgram } from '../watch/watch-program.ts'
import { isClosedAtBoot } from '../../app/process-context.ts'
import { run, type FrontController } from '../../app/run.ts'
import { loadFrontController, startOrReport } from '../front-controller.ts'

export function registerDev(program: Command, cli: Cli, words: readonly string[]): void {
  program
    .command('dev')
    .usage('<file> [args...]\n       fanlight dev -- <program> [args...]')
    .description(
      'start a file in development, and again whenever a file that it loads changes: fanlight dev app/main.ts. Or start any program\nwith profiler and error pages in its Express, Fastify, Koa, Hono, Nest, h3 or node:http servers, without a line in it:\nfanlight dev -- node app.js. After a crash its port responds with the error until it starts again.\nExits with the exit code of the program',
    )
    .argument('<program>', 'app/main.ts; or node app.js, nest start, tsx watch src/app.ts, npm run dev')
    .argument(
      '[args...]',
      'passed on unchanged; put -- before them, or before the program, where one starts with a dash',
    )
    .action(async (file: string, args: readonly string[]) => {
      const env = developmentEnvironment(cli.env)
      const isProgram = words.at(-2 - args.length) === '--'
      if (isProgram || !/\.[cm]?[jt]s$/.test(file)) {
        await watchProgram(cli, { name: [file, ...args].join(' '), file, args, env, files: [], restarts: false })
        return
      }
      const path = resolve(cli.cwd, file)
      if (!existsSync(path)) throw new CliError(`there is no ${file} in the working directory`, exitCodes.notFound)
      const node = { file: process.execPath, args: [file, ...args] }
      await watchProgram(cli, { name: file, ...node, env, files: [path], restarts: true })
    })
}

/** What the program gets: a switch, which in an application of this library means `APP_ENV=dev` if nobody names one, and a file that each Node process requires. */
function developmentEnvironment(given: Cli['env']): NodeJS.ProcessEnv {
  const { NODE_OPTIONS = '' } = given
  // Required, not imported: as soon as there is an `--import`, Node loads every entry as ESM, past what compiles CommonJS (ts-node).
  const file = join(libraryRoot(), import.meta.filename.endsWith('.ts') ? 'preload.cts' : 'preload.cjs')
  // Node splits at blanks, and reads quotes and backslashes as JSON writes them.
  const preload = /[\s"\\]/.test(file) ? JSON.stringify(file) : file
  const options = NODE_OPTIONS.includes(preload) ? NODE_OPTIONS : `${NODE_OPTIONS} --require ${preload}`.trim()
  return { ...given, FANLIGHT: 'on', NODE_OPTIONS: options }
}

export function registerServe(program: Command, cli: Cli): void {
  program
    .command('serve')
    .description('start the application of a project and keep it running')
    .argument('[module]', 'file that exports its front controller, (context) => App', defaultModule)
    .action(async (module: string) => {
      const load = (): Promise<FrontController> => startOrReport(cli, module, () => loadFrontController(cli, module))
      // A closed application is closed whatever its module does.
      const isClosed = isClosedAtBoot(cli.cwd, cli.env)
      await run(isClosed ? async (context) => (await load())(context) : await load())
    })
}
