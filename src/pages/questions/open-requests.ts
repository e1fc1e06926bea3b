// Requests of this process without a response yet, and open connections.

import { counted, formatDuration, formatTime } from '../../base/html/components.ts'
import { cutText } from '../../base/redact/cut-text.ts'
import { detail, empty, note, place, recorded, text, wideTable, type Table } from '../../observe/blocks/blocks.ts'
import type { OpenRequest, OpenWork } from '../../observe/open-requests/open-requests.ts'
import { question, type Question } from './question.ts'

export const openRequests: Question = question({
  name: 'open-requests',
  label: 'Open requests',
  title: () => 'Open requests',
  about: 'list the requests without a response yet',
  parameters: {},
  isRenewed: true,
  isThere: ({ openRequests: source }) => (source?.read().count ?? 0) > 0,
  ask: async ({ openRequests: source }) => source?.read(),
  draw: ({ requests, count, processId, takenAt }) => [
    text(`${count === 0 ? 'No open request' : counted(count, 'open request')} at ${formatTime(takenAt)} UTC.`),
    count === 0
      ? empty('All recorded requests of this process have a response.')
      : wideTable(
          'Open requests and connections, oldest first',
          'request',
          ['Request', { number: 'Age' }, 'Step', 'State', 'Token'],
          requests.map(rowOf),
        ),
    note(requests.length < count && `The oldest ${requests.length} of ${count} are shown.`),
    text(`This process only (${processId}). Listed until the response is sent or the connection closes.`),
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
      { profile: token },
    ],
  }
}

interface WaitingText {
  readonly sentence: string
  readonly detail: string | null
}

/** `In handler "product" for 3.20 s.` */
function standingText({ stands, connection }: Pick<OpenRequest, 'stands' | 'connection'>): string {
  const { place, name, forMs } = stands
  if (connection !== null) return connectionText(connection)
  if (place === 'sending') return 'Sending the response.'
  if (place === 'between' || name === null || forMs === null) return 'Between two steps; nothing recorded is running.'
  const time = formatDuration(forMs)
  if (place === 'handler') return `In handler "${name}" for ${time}.`
  if (place === 'error page') return `In the error page of "${name}" for ${time}.`
  return `In ${place} of listener "${name}" for ${time}.`
}

/** `WebSocket: 3 messages received, 5 sent.` */
function connectionText({ protocol, sent, received }: NonNullable<OpenRequest['connection']>): string {
  if (protocol === 'event-stream') return `Server-Sent Events: ${counted(sent, 'event')} sent.`
  return `WebSocket: ${counted(received, 'message')} received, ${sent} sent.`
}

/** `Waits for GET 127.0.0.1:9000 for 3.19 s.` */
function waitingText(
  request: Pick<OpenRequest, 'running' | 'runningCount' | 'lastCall' | 'ageMs' | 'stands' | 'connection'>,
): WaitingText {
  const { running, runningCount, lastCall, ageMs, connection } = request
  if (running !== null) {
    const others = runningCount === 1 ? '' : `, and ${runningCount - 1} more`
    const sentence = `Waiting for ${running.name} for ${formatDuration(ageMs - running.startMs)}${others}.`
    return { sentence, detail: running.detail }
  }
  if (connection !== null) {
    const { lastMs, protocol } = connection
    const what = protocol === 'websocket' ? 'message' : 'event'
    return {
      sentence: lastMs === null ? `No ${what} so far.` : `Last ${what} ${formatDuration(ageMs - lastMs)} ago.`,
      detail: null,
    }
  }
  const nothing = 'No tracked I/O: busy, or awaiting an unresolved promise.'
  // A call of an earlier step, such as a listener, says nothing about this one.
  const enteredMs = ageMs - (request.stands.forMs ?? ageMs)
  if (lastCall === null || lastCall.startMs < enteredMs) return { sentence: nothing, detail: null }
  return { sentence: `${nothing} Last: ${lastCall.name}, ${ended(lastCall)}.`, detail: lastCall.detail }
}

function ended({ durationMs }: OpenWork): string {
  return durationMs === null ? 'still running' : formatDuration(durationMs)
}
