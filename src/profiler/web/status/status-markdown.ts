// The status of the profiler as Markdown, for tickets, chats and agents.

import { codeSpan } from '../../../errors/markdown-text.ts'
import type { RecorderStatus } from '../../keeping/recorder-status.ts'
import { statusFacts } from './status-facts.ts'
import type { Surroundings } from './surroundings.ts'

/** One section after another; values stand in code spans. */
export function statusMarkdown(status: RecorderStatus, surroundings: Surroundings | null = null): string {
  const { problems, fills, sections } = statusFacts(status)
  const list = (rows: readonly (readonly [string, string])[]): string =>
    rows.map(([name, value]) => `- ${name}: ${codeSpan(value)}`).join('\n')
  const parts = [
    '# Status of the profiler',
    ...(problems.length === 0 ? [] : [problems.map((problem) => `- ${codeSpan(problem)}`).join('\n')]),
    '## Store',
    list([
      ['Place', status.store.name],
      ...fills.map(({ name, used, most }) => [name, `${used} of at most ${most}`] as const),
    ]),
    ...sections.flatMap(({ title, rows }) => [`## ${title}`, list(rows)]),
    '## Limits in force',
    status.limits
      .map(({ name, value, from }) => `- ${codeSpan(name)}: ${codeSpan(value)} (${codeSpan(from)})`)
      .join('\n'),
    ...(surroundings === null ? [] : surroundingsParts(surroundings)),
  ]
  return `${parts.join('\n\n')}\n`
}

function surroundingsParts({ packages, environmentNames }: Surroundings): readonly string[] {
  const versions = packages.map(({ name, version }) => `- ${codeSpan(name)}: ${codeSpan(version ?? 'not installed')}`)
  return [
    '## Packages',
    versions.length === 0 ? 'The application depends on no package.' : versions.join('\n'),
    '## Environment variables, names only',
    environmentNames.map(codeSpan).join(', ') || 'none',
  ]
}
