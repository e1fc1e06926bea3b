// `fanlight profiles compare`.

import type { Engine } from '../../profiles/stores/engine.ts'
import { readComparison } from '../../analysis/compare/compare.ts'
import { compareMarkdown } from '../../analysis/compare/compare-markdown.ts'
import type { Cli } from '../cli.ts'
import { CliError, exitCodes } from '../command.ts'
import { NotedReads } from '../../profiles/query/missing-parts.ts'

/** Prints the differences as Markdown, or all of it as JSON. Throws a CliError (3) for a profile that is not there. */
export async function compareProfiles(
  cli: Cli,
  engine: Engine,
  a: string,
  b: string,
  options: { readonly json?: true },
): Promise<void> {
  const profiles = new NotedReads(engine.profiles)
  const read = await readComparison(profiles, a, b)
  const { missing } = profiles
  cli.noteMissing(missing)
  if (read.state === 'missing') throw new CliError(read.problem, exitCodes.notFound)
  if (options.json === true) cli.terminal.json({ a: read.a, b: read.b, ...read.comparison, missing })
  else cli.terminal.markdown(compareMarkdown(read))
}
