// A replay as Markdown: for the command line, agents and `.md`.

import { codeSpan } from '../../errors/markdown-text.ts'
import { formatDuration } from '../../framework/html/components.ts'
import { compareMarkdown, numberText, unitOf } from '../query/compare-markdown.ts'
import { requestLine, statusMark } from '../query/profile-facts.ts'
import type { ReplayReport, ReplayRun, ReplaySpread } from './replay.ts'

/** `isCompared`: with the differences to the recorded request. */
export function replayMarkdown(report: ReplayReport, { isCompared }: { readonly isCompared: boolean }): string {
  const { of, runs, spread, compared } = report
  const { token, status, durationMs } = of
  const recorded = `- recorded: ${statusMark({ status, method: of.method })}, ${formatDuration(durationMs)} (${token})`
  const parts = [
    `# Replay of ${codeSpan(requestLine(of))}`,
    [recorded, ...runs.map(runLine)].join('\n'),
    ...(spread.length === 0 ? [] : [`## Spread\n\n${spread.map(spreadLine).join('\n')}`]),
    ...(isCompared && compared !== null ? [compareMarkdown(compared).replace(/^# /, '## ').trimEnd()] : []),
  ]
  return `${parts.join('\n\n')}\n`
}

function runLine({ token, status, durationMs, problem }: ReplayRun): string {
  const facts = [status === null ? 'no response' : String(status), formatDuration(durationMs)].join(', ')
  return `- replay: ${facts}${token === null ? '' : ` (${token})`}${problem === null ? '' : `. ${codeSpan(problem)}`}`
}

function spreadLine({ name, least, median, p95, most, recorded }: ReplaySpread): string {
  const unit = unitOf(name, { label: '', unit: 'count' })
  const [low, middle, high, top] = [least, median, p95, most].map((value) => numberText(value, unit))
  const before = recorded === null ? '' : `; recorded ${numberText(recorded, unit)}`
  return `- ${codeSpan(name.replace(/, ms$/, ''))}: median ${middle}, ${low} to ${top}, p95 ${high}${before}`
}
