// `fanlight store check`: a line for each thing that was looked at, and what to do where something is wrong.

import { countOf } from '../../errors/page/page-budget.ts'
import { checkStore } from '../../stores/check-store.ts'
import type { StoreFinding } from '../../stores/store-finding.ts'
import type { Cli } from '../cli.ts'
import { CliError } from '../exit-codes.ts'
import { textWidth, visibleText, type Tone } from '../terminal.ts'

/** Throws a CliError when the store cannot be used; it has printed why. */
export async function printCheck(cli: Cli, address: string, options: { readonly json?: true }): Promise<void> {
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

function lineOf({ terminal }: Cli, { name, state, says, advice }: StoreFinding, width: number): string {
  const [mark, tone] = marks[state]
  const text = advice === undefined ? visibleText(says) : `${visibleText(says)} → ${visibleText(advice)}`
  return `${terminal.tone(tone, mark)} ${terminal.tone('quiet', name.padEnd(width))}  ${text}`
}

function widthOf(findings: readonly StoreFinding[]): number {
  return Math.max(...findings.map(({ name }) => textWidth(name)))
}
