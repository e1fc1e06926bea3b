// The commands of questions: their options, and what they found as JSON or as lines of a terminal.

import type { Command } from 'commander'
import { questions } from '../../analysis/questions/all.ts'
import { QuestionError, readTexts, type Question } from '../../pages/question.ts'
import type { Cli } from '../cli.ts'
import { CliError, exitCodes, usageError, withJson } from '../command.ts'
import { printBlocks } from '../terminal-blocks.ts'
import { toFilter, typedOption, withFilters, type ProfileFilterOptions } from './profiles-read.ts'

/** Registers the commands that are below `parent`: `profiles`, or empty for those of the program. */
export function registerQuestions(program: Command, cli: Cli, parent = ''): void {
  for (const question of questions) {
    const [word = '', ...above] = question.command?.split(' ').reverse() ?? []
    if (question.command === undefined || above.join(' ') !== parent) continue
    register(program.command(word), cli, question)
  }
}

function register(command: Command, cli: Cli, question: Question): void {
  const { fails } = question
  withJson(command).description(question.about)
  if (fails !== undefined) command.option(`--${fails.option}`, fails.help)
  if (question.isFiltered === true) withFilters(command)
  for (const [name, { help, isArgument }] of Object.entries(question.parameters)) {
    if (isArgument === true) command.argument(`<${name}>`, help)
    else command.option(`--${name} <${name}>`, help)
  }
  command.action(async () => print(cli, question, command.opts<ProfileFilterOptions>(), command.args))
}

/** Throws a usage error for what cannot be read, and a CliError (3) for what is not there. */
async function print(
  cli: Cli,
  question: Question,
  options: ProfileFilterOptions,
  [argument]: readonly string[],
): Promise<void> {
  const texts = Object.entries(question.parameters).flatMap(([name, { isArgument }]) => {
    const text = isArgument === true ? argument : typedOption(options, name)
    return typeof text === 'string' ? [[name, text] as const] : []
  })
  const values = readTexts(question.parameters, new Map(texts), (name, text, { use, isArgument }) => {
    throw usageError(isArgument === true ? name : `--${name}`, text, use)
  })
  const asked = { values, filter: toFilter(options), settingPrefix: cli.context().settingPrefix }
  const found = await cli.withEngine(async ({ profiles, errorMarks }) =>
    question.ask({ profiles, errorMarks }, asked).catch(asCliError),
  )
  if (found === undefined) throw new CliError('there is nothing to show', exitCodes.notFound)
  cli.noteMissing(found.missing)
  if (options['json'] === true) cli.terminal.json(found)
  else printBlocks(cli.terminal, question.draw(found, asked))
  const { fails } = question
  const problem = fails !== undefined && typedOption(options, fails.option) === true ? fails.problem(found) : undefined
  if (problem !== undefined) throw new CliError(problem)
}

function asCliError(error: unknown): never {
  if (!(error instanceof QuestionError)) throw error
  throw new CliError(error.message, error.status === 404 ? exitCodes.notFound : exitCodes.failed, { cause: error })
}
