// `/_profiler/open-requests`: requests of this process without a response yet.

import { heading } from '../layout.ts'
import type { ProfilerPage } from '../profiler-page.ts'
import { openRequestsPage, openRequestsStyles, openRequestsScript, standingText, waitingText } from './open-view.ts'
import { codeSpan } from '../../../errors/markdown-text.ts'
import { formatDuration } from '../../../framework/html/components.ts'
import type { OpenRequest, OpenRequestsData } from '../../open-requests/open-requests.ts'

/** Not there where the controller was given no list. */
export const openPage: ProfilerPage = async (
  exchange,
  { options: { openRequests, profilerPath, editor }, linkTo, missing },
) => {
  if (openRequests === undefined) return missing(exchange)
  const data = openRequests.read()
  return {
    html: () => ({
      title: 'Open requests',
      headline: heading('Open requests'),
      content: openRequestsPage(data, { profilerPath, linkTo, editor }),
      styles: [openRequestsStyles],
      scripts: [openRequestsScript],
    }),
    json: () => data,
    markdown: () => openRequestsMarkdown(data),
  }
}

/** One section a request. Whatever comes from a request stands in a code span. */
function openRequestsMarkdown({ requests, count, processId, takenAt }: OpenRequestsData): string {
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
    ['Currently', standingText(request)],
    ['Waiting', sentence],
    ...(detail === null ? [] : [['Call', detail] as const]),
    ...(lastLog === null ? [] : [['Last log line', lastLog] as const]),
    ...(isClientGone === true ? [['Client', 'went away'] as const] : []),
    ['Token', token],
  ]
  return `## ${codeSpan(`${method} ${url}`)}\n\n${lines.map(([name, text]) => `- ${name}: ${codeSpan(text)}`).join('\n')}`
}
