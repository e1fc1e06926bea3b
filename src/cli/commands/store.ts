// `fanlight store check`.

import type { Command } from 'commander'
import { countOf } from '../../errors/page/page-budget.ts'
import { checkStore } from '../../stores/check-store.ts'
import type { StoreFinding } from '../../stores/store-finding.ts'
import { namingSettings } from '../../framework/config/variable.ts'
import type { Cli } from '../cli.ts'
import { usageError, withJson, CliError } from '../command.ts'
import { textWidth, visibleText, type Tone } from '../terminal.ts'

export function registerStore(program: Command, cli: Cli): void {
  const store = program.command('store').description('check a store')
  withJson(store.command('check'))
    .description('check whether a store can be used, and say what to do if not')
    .argument(
      '[address]',
      'as in APP_STORE, or the name of a variable that holds it (default: the store of the folder)',
    )
    .action((address: string | undefined, options: { readonly json?: true }) =>
      printCheck(cli, addressOf(cli, address), options),
    )
}

/** The address that was typed, or that of the variable whose name was typed: a password does not belong on a command line. */
function addressOf(cli: Cli, given?: string): string {
  if (given === undefined || given === `${cli.context().settingPrefix}STORE`) return cli.context().store
  if (!/^[A-Z][A-Z0-9_]*$/.test(given)) {
    if (/:\/\/[^/@]*:[^/@]/.test(given) && given.includes('@')) {
      cli.terminal.error('Other users of this machine can read the password in the command; name a variable instead.')
    }
    return given
  }
  const address = cli.env[given]
  if (address !== undefined && address !== '') return address
  throw usageError('address', given, 'an address such as sqlite:var/fanlight.db, or the name of a variable that is set')
}

/** Throws a CliError when the store cannot be used; it has printed why. */
async function printCheck(cli: Cli, address: string, options: { readonly json?: true }): Promise<void> {
  const { terminal } = cli
  const findings = await checkStore(address, cli.engineOptions(), cli.openStore)
  if (options.json === true) terminal.json({ findings })
  else if (findings.length > 0) terminal.lines(findings.map((finding) => lineOf(cli, finding, widthOf(findings))))
  const bad = findings.filter(({ state }) => state === 'bad').length
  if (bad > 0) throw new CliError(`the store cannot be used like this: ${countOf(bad, 'fault')}`)
}

const marks: Readonly<Record<StoreFinding['state'], readonly [mark: string, tone: Tone]>> = {
  good: ['✓', 'good'],
  warning: ['!', 'warning'],
  bad: ['✗', 'bad'],
}

function lineOf(cli: Cli, { name, state, says, advice }: StoreFinding, width: number): string {
  const [mark, tone] = marks[state]
  const named = namingSettings(advice ?? '', cli.context().settingPrefix)
  const text = advice === undefined ? visibleText(says) : `${visibleText(says)} → ${visibleText(named)}`
  const { terminal } = cli
  return `${terminal.tone(tone, mark)} ${terminal.tone('quiet', name.padEnd(width))}  ${text}`
}

function widthOf(findings: readonly StoreFinding[]): number {
  return Math.max(...findings.map(({ name }) => textWidth(name)))
}
