// A replay in words: what its page shows, and its Markdown for the command line, agents and `.md`.

import { codeSpan } from '../../base/markdown-text.ts'
import { formatDuration } from '../../base/html/components.ts'
import { heading, wideTable, type Blocks } from '../../observe/blocks/blocks.ts'
import { sectionTexts } from '../../observe/blocks/sections.ts'
import { wholeComparison } from '../compare/compare-markdown.ts'
import { profileTone, requestLine, statusMark } from '../../profiles/profile-facts.ts'
import type { ReplayReport } from './replay.ts'

/** `isCompared`: with the differences to the recorded request. */
export function replayMarkdown(report: ReplayReport, { isCompared }: { readonly isCompared: boolean }): string {
  const blocks = isCompared ? wholeReplay(report) : replayBlocks(report)
  return `${[`# Replay of ${codeSpan(requestLine(report.of))}`, ...sectionTexts(blocks, codeSpan)].join('\n\n')}\n`
}

/** With the differences to the recorded request. */
export function wholeReplay(report: ReplayReport): Blocks {
  const { compared } = report
  const difference = compared === null ? [] : [heading('Compare profiles'), ...wholeComparison(compared)]
  return [...replayBlocks(report), ...difference]
}

export function replayBlocks({ of, run, codeBrief }: ReplayReport): Blocks {
  const { token, status, durationMs } = of
  const recorded = { mark: statusMark({ status, method: of.method }), tone: profileTone(of) }
  const { problem } = run
  const replayed = [
    'replay',
    run.status === null ? 'no response' : { mark: String(run.status), tone: profileTone({ status: run.status }) },
    formatDuration(run.durationMs),
    [run.token === null ? null : { profile: run.token }, problem === null ? null : { recorded: problem }],
  ]
  const first = ['recorded', recorded, formatDuration(durationMs), { profile: token }]
  return [
    ...(codeBrief.length === 0 ? [] : [heading('Code'), ...codeBrief]),
    heading('Replay'),
    wideTable(
      'Replay',
      'request',
      ['Request', 'Status', { number: 'Duration' }, 'Profile'],
      [{ cells: first }, { cells: replayed }],
    ),
  ]
}
