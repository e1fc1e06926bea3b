// `fanlight errors set`: says by hand what has become of an error.

import type { Command } from 'commander'
import { errorStates, markNow } from '../../profiles/set-by-people.ts'
import type { Cli } from '../cli.ts'
import { oneOf, usageError, withJson } from '../command.ts'
import { visibleLine } from '../../base/markdown-text.ts'

/** Below the command `errors`, which lists them. */
export function registerErrorState(program: Command, cli: Cli): void {
  const errors = program.commands.find((command) => command.name() === 'errors') ?? program.command('errors')
  withJson(errors.command('set'))
    .description('say what has become of an error; one that is seen after it was resolved is open again')
    .argument('<id>', 'id of the error, as "errors --json" and its page have it')
    .argument('<state>', errorStates.join(', '))
    .option('--comment <text>', 'why, at most 500 characters')
    // Both commands have --json, and the outer one takes it.
    .action((id: string, state: string, _: SetOptions, command: Command) =>
      setState(cli, id, state, command.optsWithGlobals<SetOptions>()),
    )
}

interface SetOptions {
  readonly comment?: string
  readonly json?: true
}

async function setState(cli: Cli, id: string, given: string, { comment = '', json }: SetOptions): Promise<void> {
  if (!/^[0-9a-f]{12}$/.test(id)) throw usageError('id', id, '12 hex digits')
  const state = oneOf('state', given, errorStates)
  const mark = markNow(state, comment, cli.now())
  await cli.withEngine(async ({ errorMarks }) => errorMarks.add(id, mark))
  if (json === true) return cli.terminal.json({ id, ...mark })
  cli.terminal.lines([visibleLine(`The error ${id} is set to ${state}.`)])
}
