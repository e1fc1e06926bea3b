// A replay in words: what its page shows, and its Markdown for the command line, agents and `.md`.

import { codeSpan } from '../../errors/markdown-text.ts'
import { formatDuration } from '../../framework/html/components.ts'
import { heading, wideTable, type Block, type Blocks } from '../blocks/blocks.ts'
import { sectionTexts } from '../blocks/sections.ts'
import { compareMarkdown, numberText, unitOf } from '../query/compare-markdown.ts'
import { profileTone, requestLine, statusMark } from '../query/profile-facts.ts'
import { codeBrief } from '../ran/code-part.ts'
import type { ReplayReport, ReplaySpread } from './replay.ts'

/** `isCompared`: with the differences to the recorded request. */
export function replayMarkdown(report: ReplayReport, { isCompared }: { readonly isCompared: boolean }): string {
  const { of, compared } = report
  const parts = [
    `# Replay of ${codeSpan(requestLine(of))}`,
    ...sectionTexts(replayBlocks(report), codeSpan),
    ...(isCompared && compared !== null ? [compareMarkdown(compared).replace(/^# /, '## ').trimEnd()] : []),
  ]
  return `${parts.join('\n\n')}\n`
}

export function replayBlocks({ of, runs, spread, code }: ReplayReport): Blocks {
  const { token, status, durationMs } = of
  const recorded = { mark: statusMark({ status, method: of.method }), tone: profileTone(of) }
  const replays = runs.map(({ token: own, status: got, durationMs: lasted, problem }) => ({
    cells: [
      'replay',
      got === null ? 'no response' : { mark: String(got), tone: profileTone({ status: got }) },
      formatDuration(lasted),
      [own === null ? null : { profile: own }, problem === null ? null : { recorded: problem }],
    ],
  }))
  const first = { cells: ['recorded', recorded, formatDuration(durationMs), { profile: token }] }
  return [
    ...(code === null ? [] : [heading('Code'), ...codeBrief(code)]),
    ...(spread.length === 0 ? [] : [heading('Spread'), spreadTable(spread)]),
    heading('Replays'),
    wideTable('Replays', 'replay', ['Request', 'Status', { number: 'Duration' }, 'Profile'], [first, ...replays]),
  ]
}

function spreadTable(spread: readonly ReplaySpread[]): Block {
  const heads = ['Least', 'Median', 'p95', 'Most', 'Recorded'].map((number) => ({ number }))
  const rows = spread.map(({ name, least, median, p95, most, recorded }) => {
    const unit = unitOf(name, { label: '', unit: 'count' })
    const cells = [least, median, p95, most, recorded].map((value) => (value === null ? '–' : numberText(value, unit)))
    return { cells: [{ recorded: name.replace(/, ms$/, '') }, ...cells] }
  })
  return wideTable('Spread of the replays', 'number', ['Name', ...heads], rows)
}
