// `fanlight dev`: starts the program of an application of any framework, so that every Node process of it is observed.

import { extname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Command } from 'commander'
import { libraryRoot } from '../../framework/config/own-package.ts'
import type { Cli } from '../cli.ts'
import { endAs, startProgram } from '../program/start-program.ts'

export function registerDev(program: Command, cli: Cli): void {
  program
    .command('dev')
    .usage('-- <program> [args...]')
    .description(
      'start an application of Express, Fastify, Koa, Hono, Nest, h3 or node:http with profiler and error pages, without a line\nin it: fanlight dev -- node app.js. Exits with the exit code of the program',
    )
    .argument('<program>', 'node app.js, nest start, tsx watch src/app.ts, npm run dev')
    .argument('[args...]', 'passed on unchanged; put -- before the program where one of them starts with a dash')
    .action(async (file: string, args: readonly string[]) => {
      const env = developmentEnvironment(cli.env)
      endAs(file, await startProgram({ file, args, cwd: cli.cwd, env, keepsOutput: false }))
    })
}

/** What the program gets: development, unless it is a test, and an import in each of its Node processes. */
function developmentEnvironment(given: Cli['env']): NodeJS.ProcessEnv {
  const { NODE_OPTIONS = '', APP_ENV } = given
  // A URL: blanks in the path are encoded, so Node does not split it there.
  const register = pathToFileURL(join(libraryRoot(), `register${extname(import.meta.filename)}`)).href
  const options = NODE_OPTIONS.includes(register) ? NODE_OPTIONS : `${NODE_OPTIONS} --import ${register}`.trim()
  return { ...given, APP_ENV: APP_ENV === 'test' ? 'test' : 'dev', NODE_OPTIONS: options }
}
