// `fanlight profiles test`: a test that sends a recorded request and fails until its error is fixed.

import type { Command } from 'commander'
import { testRunners } from '../../profiler/test-file/runners.ts'
import { testFileOf } from '../../profiler/test-file/test-file.ts'
import type { Cli } from '../cli.ts'
import { oneOf, withModule } from '../command.ts'
import { CliError } from '../exit-codes.ts'
import { visibleText } from '../terminal.ts'
import { writeNew } from '../write-new.ts'
import { findProfile } from './profiles-show.ts'

interface TestOptions {
  readonly runner?: string
  readonly out?: string
  readonly module: string
  readonly listener?: string
  readonly force?: true
}

export function registerProfilesTest(profiles: Command, cli: Cli): void {
  withModule(profiles.command('test'))
    .description('write a test that sends the recorded request and fails until its error is fixed')
    .argument('<token>', 'token of the profile, or "latest"')
    .option('--runner <name>', `${testRunners.join(' or ')} (default: node)`)
    .option(
      '--listener <file>',
      'instead of --module: file whose default export is a listener of node:http, such as an Express application',
    )
    .option('--out <file>', 'where to write it (default: standard output)')
    .option('--force', 'overwrite an existing file')
    .action((token: string, options: TestOptions) => writeTest(cli, token, options))
}

/** Writes the test; what is left to do goes to standard error. Throws a CliError. */
async function writeTest(cli: Cli, token: string, options: TestOptions): Promise<void> {
  const { out: file, listener, module } = options
  const runner = oneOf('--runner', options.runner ?? 'node', testRunners)
  const target =
    listener === undefined
      ? ({ kind: 'module', file: module } as const)
      : ({ kind: 'listener', file: listener } as const)
  const profile = await cli.withEngine(async (engine) => findProfile(cli, engine, token))
  const test = testFileOf(profile, { runner, target, file }, cli.cwd)
  if (test.state === 'impossible')
    throw new CliError(`no test can be written from profile ${profile.token}: ${test.problem}`)
  if (file === undefined) cli.terminal.lines([test.code.trimEnd()])
  else writeNew(cli, { file, content: test.code, mayReplace: options.force === true })
  for (const remark of test.remarks) cli.terminal.error(visibleText(remark))
  if (test.missing.length > 0) {
    cli.terminal.error(`Fill in what the recording does not have: ${visibleText(test.missing.join(', '))}.`)
  }
}
