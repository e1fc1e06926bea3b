// Requests of this process without a response yet, and open connections.

import { formatDuration, formatTime } from '../../base/html/components.ts'
import { cutText } from '../../base/redact/cut-text.ts'
import { detail, empty, note, place, recorded, text, wideTable, type Table } from '../../observe/blocks/blocks.ts'
import { readOpenRequests, standingText, waitingText, type OpenRequest } from '../../capture/open-requests.ts'
import { question, type Question } from '../../pages/question.ts'

export const openRequests: Question = question({
  name: 'open-requests',
  label: 'Open requests',
  title: () => 'Open requests',
  about: 'list the requests without a response yet',
  parameters: {},
  isRenewed: true,
  isThere: ({ openRequests: open }) => (open?.size ?? 0) > 0,
  ask: async ({ openRequests: open }) => open && readOpenRequests(open),
  draw: ({ requests, count, processId, takenAt }) => [
    count === 0
      ? empty('No open request: all recorded requests of this process have a response.')
      : wideTable(
          'Open requests and connections, oldest first',
          'request',
          ['Request', { number: 'Age' }, 'Step', 'State'],
          requests.map(rowOf),
        ),
    note(requests.length < count && `The oldest ${requests.length} of ${count} are shown.`),
    text(
      `This process only (${processId}), at ${formatTime(takenAt)} UTC. Listed until the response is sent or the connection closes.`,
    ),
  ],
})

/** From this age on a request is marked, in milliseconds: few should take this long. */
const longMs = 5000
const maxUrlLength = 300

function rowOf(request: OpenRequest): Table['rows'][number] {
  const { method, url, route, definedAt, isClientGone, ageMs, connection, token, lastLog } = request
  const tone = ageMs >= longMs && connection === null ? 'warning' : 'neutral'
  const waiting = waitingText(request)
  return {
    tone,
    cells: [
      [
        { profile: token, subject: `${cutText(method, 20)} ${cutText(url, maxUrlLength)}` },
        detail('route', route === null ? { quiet: 'no route yet' } : ['route', recorded(route), place(definedAt)]),
        detail('client', isClientGone === true ? { mark: 'client gone', tone: 'warning' } : null),
      ],
      { mark: formatDuration(ageMs), tone },
      recorded(standingText(request)),
      [
        recorded(waiting.sentence),
        detail('call', waiting.detail === null ? null : { code: cutText(waiting.detail, maxUrlLength) }),
        detail('last log line', recorded(lastLog && cutText(lastLog, 200)), true),
      ],
    ],
  }
}
