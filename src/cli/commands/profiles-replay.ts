// `fanlight profiles replay`: has the running application send a recorded request again.

import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { askReplay } from '../../analysis/replay/ask-replay.ts'
import { fieldOf, helpWith, parameterOf, type ReplayHelp } from '../../analysis/replay/order-fields.ts'
import type { ReplayRefusal } from '../../analysis/replay/replay.ts'
import { replayMarkdown } from '../../analysis/replay/replay-markdown.ts'
import type { Cli } from '../cli.ts'
import { usageError, withJson, CliError, exitCodes, type ExitCode } from '../command.ts'
import { profilerHere, withPlace } from '../running-app.ts'
import { visibleLine } from '../../base/markdown-text.ts'

interface ReplayOptions {
  readonly header?: readonly string[]
  readonly query?: readonly string[]
  readonly body?: string
  readonly withoutMasked?: true
  readonly yes?: true
  readonly values?: true
  readonly compare?: true
  readonly at?: string
  readonly json?: true
}

export function registerReplay(profiles: Command, cli: Cli): void {
  const gather = (value: string, before: readonly string[] = []): readonly string[] => [...before, value]
  withPlace(withJson(profiles.command('replay')))
    .description('have the running application send a recorded request again, and compare the two')
    .argument('<token>', 'token of the profile, or "latest"')
    .option(
      '--header <field>',
      'replace a header: "Accept: text/html"; without a value it is left out; repeatable',
      gather,
    )
    .option('--query <parameter>', 'replace a parameter: "page=2"; repeatable', gather)
    .option('--body <text>', 'replace the body; "@file" reads it from a file')
    .option('--without-masked', 'leave out what was masked when it was recorded')
    .option('--yes', 'send a method that may change something')
    .option('--values', 'send it twice, and show the lines that it ran with their values')
    .option('--compare', 'show the differences to the recorded request')
    .action((token: string, options: ReplayOptions) => replayProfile(cli, token, options))
}

async function replayProfile(cli: Cli, token: string, options: ReplayOptions): Promise<void> {
  const { header = [], query = [], body } = options
  const order = {
    token,
    headers: header.map(
      (text) => fieldOf(text) ?? refuse('--header', text, 'a name, a colon and a value: "Accept: text/html"'),
    ),
    query: query.map(
      (text) => parameterOf(text) ?? refuse('--query', text, 'a name, an equals sign and a value: "page=2"'),
    ),
    ...(body === undefined ? {} : { body: bodyOf(cli, body) }),
    values: options.values === true,
    withoutMasked: options.withoutMasked === true,
    isConfirmed: options.yes === true,
  }
  const answer = await askReplay(profilerHere(cli, options.at), order)
  if (answer.state === 'refused') throw refused(answer)
  const { report } = answer
  if (options.json === true) cli.terminal.json(report)
  else cli.terminal.markdown(replayMarkdown(report, { isCompared: options.compare === true }))
  if (report.run.problem !== null) throw new CliError(visibleLine(report.run.problem))
}

function refuse(option: string, text: string, use: string): never {
  throw usageError(option, text, use)
}

function bodyOf({ cwd }: Cli, text: string): string {
  if (!text.startsWith('@')) return text
  try {
    return readFileSync(resolve(cwd, text.slice(1)), 'utf8')
  } catch {
    throw usageError('--body', text, 'a text, or "@" and a file that can be read')
  }
}

const codes: Readonly<Record<ReplayRefusal['reason'], ExitCode>> = {
  gone: exitCodes.notFound,
  unreachable: exitCodes.notFound,
  incomplete: exitCodes.usage,
  invalid: exitCodes.usage,
  unconfirmed: exitCodes.usage,
  impossible: exitCodes.failed,
  elsewhere: exitCodes.failed,
}

const options: Readonly<Record<ReplayHelp, string>> = {
  headers: '--header',
  query: '--query',
  body: '--body',
  withoutMasked: '--without-masked',
  confirm: '--yes',
}

/** Says which options help. */
function refused(refusal: ReplayRefusal): CliError {
  const help = helpWith(refusal).map((name) => options[name])
  const said = help.length === 0 ? '' : ` Options: ${help.join(', ')}.`
  return new CliError(`${refusal.problem}${said}`, codes[refusal.reason])
}
