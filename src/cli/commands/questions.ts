// The commands of questions: their options, and what they found as JSON or as lines of a terminal.

import type { Command } from 'commander'
import { columnsOf, flat, itemsOf, lineText } from '../../profiler/blocks/sections.ts'
import type { Block, Inline, Line, Table } from '../../profiler/blocks/blocks.ts'
import { questions } from '../../profiler/questions/all.ts'
import { QuestionError, readTexts, type Question } from '../../profiler/questions/question.ts'
import type { Cli } from '../cli.ts'
import { CliError, exitCodes, usageError, withJson } from '../command.ts'
import { factLines, tableLines, visibleText, type Column, type Terminal, type Tone } from '../terminal.ts'
import { toFilter, withFilters, type ProfileFilterOptions } from './profile-filters.ts'

/** Registers the commands that are below `parent`: `profiles`, or empty for those of the program. */
export function registerQuestions(program: Command, cli: Cli, parent = ''): void {
  for (const question of questions) {
    const [word = '', ...above] = question.command?.split(' ').reverse() ?? []
    if (question.command !== undefined && above.join(' ') === parent) register(program.command(word), cli, question)
  }
}

function register(command: Command, cli: Cli, question: Question): void {
  withJson(command).description(question.about)
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
    const text = isArgument === true ? argument : options[name]
    return typeof text === 'string' ? [[name, text] as const] : []
  })
  const values = readTexts(question.parameters, new Map(texts), (name, text, { use, isArgument }) => {
    throw usageError(isArgument === true ? name : `--${name}`, text, use)
  })
  const asked = { values, filter: toFilter(options), settingPrefix: cli.context().settingPrefix }
  const found = await cli.withEngine(async ({ profiles }) => question.ask({ profiles }, asked).catch(asCliError))
  if (found === undefined) throw new CliError('there is nothing to show', exitCodes.notFound)
  cli.noteMissing(found.missing)
  if (options['json'] === true) return cli.terminal.json(found)
  cli.terminal.lines(flat(question.draw(found, asked)).flatMap((block) => blockLines(block, cli.terminal)))
}

function asCliError(error: unknown): never {
  if (!(error instanceof QuestionError)) throw error
  throw new CliError(error.message, error.status === 404 ? exitCodes.notFound : exitCodes.failed, { cause: error })
}

const tones = { neutral: undefined, info: undefined, success: 'good', warning: 'warning', error: 'bad' } as const

function blockLines(block: Block | null, terminal: Terminal): readonly string[] {
  switch (block?.kind) {
    case 'heading':
      return ['', terminal.tone('strong', block.text)]
    case 'empty':
      return [block.text]
    case 'text':
      return [terminal.tone('quiet', plain(block.text))]
    case 'note':
      return [terminal.tone(tones[block.tone ?? 'warning'] ?? 'quiet', plain(block.text))]
    case 'facts':
      return factLines(
        terminal,
        block.rows.map(([name, value]) => [plain(name), plain(value)]),
      )
    case 'table':
      return tableLines(terminal, terminalColumns(block), block.rows)
    default:
      return itemsOf(block ?? null, visibleText)
  }
}

function plain(line: Line): string {
  return visibleText(lineText(line, (text) => text.replaceAll('\n', ' ')))
}

function terminalColumns(table: Table): readonly Column<Table['rows'][number]>[] {
  return columnsOf(table).map(({ title, isNumber, of }, index) => ({
    title,
    cell: ({ cells, depth = 0 }) => `${index === 0 ? '  '.repeat(Math.min(depth, 20)) : ''}${plain(of(cells))}`,
    align: isNumber ? 'right' : 'left',
    // Instants, tokens and ids are of no use when cut.
    isFlexible: !isNumber && table.rows.some(({ cells }) => of(cells).some(isRecorded)),
    mostFilled: 60,
    tone: ({ cells, tone = 'neutral' }) => (index === 0 ? (tones[tone] ?? 'strong') : toneOf(of(cells))),
  }))
}

function isRecorded(part: Inline): boolean {
  return typeof part === 'object' && part !== null && ('recorded' in part || 'page' in part)
}

function toneOf(parts: readonly Inline[]): Tone | undefined {
  for (const part of parts)
    if (typeof part === 'object' && part !== null && 'mark' in part) return tones[part.tone ?? 'neutral']
  return undefined
}
