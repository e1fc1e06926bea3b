// The requests that have not answered as Markdown, for tickets, chats and agents.

import { codeSpan } from '../../../errors/markdown-text.ts'
import { formatDuration } from '../../../framework/html/components.ts'
import type { OpenRequest } from '../../open-requests/open-request.ts'
import type { OpenRequestsData } from '../../open-requests/open-requests.ts'
import { standingText, waitingText } from './standing-text.ts'

/** One section a request. Whatever comes from a request stands in a code span. */
export function openRequestsMarkdown({ requests, count, processId, takenAt }: OpenRequestsData): string {
  const scope = `Requests of process ${processId} that have not answered at ${new Date(takenAt).toISOString()}: ${count}.`
  const cut = requests.length < count ? [`The oldest ${requests.length} are listed.`] : []
  return `${['# Open requests', scope, ...cut, ...requests.map(section)].join('\n\n')}\n`
}

function section(request: OpenRequest): string {
  const { token, method, url, route, definedAt, ageMs, isClientGone, lastLog } = request
  const { sentence, detail } = waitingText(request)
  const lines: readonly (readonly [string, string])[] = [
    ['Open for', formatDuration(ageMs)],
    ['Route', route === null ? 'none' : `${route}${definedAt === null ? '' : `, ${definedAt}`}`],
    ['Stands', standingText(request)],
    ['Waits', sentence],
    ...(detail === null ? [] : [['Call', detail] as const]),
    ...(lastLog === null ? [] : [['Last log line', lastLog] as const]),
    ...(isClientGone === true ? [['Client', 'went away'] as const] : []),
    ['Token', token],
  ]
  return `## ${codeSpan(`${method} ${url}`)}\n\n${lines.map(([name, text]) => `- ${name}: ${codeSpan(text)}`).join('\n')}`
}
