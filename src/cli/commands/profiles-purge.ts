// `fanlight profiles purge`: removes profiles, and only when told how far.

import type { Cli } from '../cli.ts'
import { instant } from '../command.ts'
import { CliError, exitCodes } from '../exit-codes.ts'

/** Options as they were typed. */
export interface PurgeOptions {
  readonly all?: true
  readonly before?: string
  readonly json?: true
}

/** Removes profiles and says how many. Throws a usage error unless exactly one of `--all` and `--before` is given. */
export async function purgeProfiles(cli: Cli, options: PurgeOptions): Promise<void> {
  if ((options.all === undefined) === (options.before === undefined)) {
    throw new CliError('either --all or --before <instant> is needed', exitCodes.usage)
  }
  const before = options.before === undefined ? undefined : instant('--before', options.before)
  const removed = await cli.withEngine((engine) =>
    before === undefined ? engine.profiles.purge() : engine.profiles.purge(before),
  )
  if (options.json === true) return cli.terminal.json({ removed })
  cli.terminal.lines([removed === 1 ? '1 profile removed.' : `${removed} profiles removed.`])
}
