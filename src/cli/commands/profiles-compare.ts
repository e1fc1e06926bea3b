// `fanlight profiles compare`: what differs between two profiles, or between one and the median of its route.

import type { Engine } from '../../stores/engine.ts'
import { readComparison } from '../../profiler/compare/read-comparison.ts'
import { compareMarkdown } from '../../profiler/query/compare-markdown.ts'
import type { Cli } from '../cli.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { visibleText } from '../visible-text.ts'

/** Prints the differences as Markdown, or all of it as JSON. Throws a CliError (3) for a profile that is not there. */
export async function compareProfiles(
  cli: Cli,
  engine: Engine,
  a: string,
  b: string,
  options: { readonly json?: true },
): Promise<void> {
  const read = await readComparison(engine.profiles, a, b)
  if (read.state === 'missing') throw new CliError(read.problem, exitCodes.notFound)
  if (options.json === true) cli.terminal.json({ a: read.a, b: read.b, ...read.comparison })
  else cli.terminal.lines(compareMarkdown(read).trimEnd().split('\n').map(visibleText))
}
