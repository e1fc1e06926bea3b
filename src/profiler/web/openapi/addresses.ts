// What the document says of addresses that are not pages of `profiler-routes.ts`: a profile, and what is posted.

import type { QueryPlan } from '../../capture/query-plans.ts'
import type {
  Long,
  LogsResponse,
  PartialLogsSuccess,
  PartialSuccess,
  RefusalStatus,
  TraceResponse,
} from '../../otlp/messages.ts'
import type { MissingPanelJson } from '../asked-part.ts'
import type { Panel } from '../panel.ts'
import { jsonResponse, type Operation, type ResponseContent } from './operation.ts'
import { errorJson, errorMembers } from './page-schemas.ts'
import { parameter, pathToken } from './parameters.ts'
import { sentences } from './profiles.ts'
import { profile } from './recorded-data.ts'
import { replayForm, replayReport } from './replay-schemas.ts'
import { anyOf, anything, integer, list, named, object, optional, text, type AnySchema, type Schema } from './schema.ts'

/** An address with its method. */
export interface Address extends Operation {
  readonly name: string
  readonly method: 'get' | 'post'
  /** Below the profiler's path: `{token}.json`. */
  readonly path: string
}

const missingPanel: Schema<MissingPanelJson> = named(
  'MissingPanel',
  'The profile has no such panel; `panels` are those that it has.',
  object<MissingPanelJson>({ ...errorMembers, type: text(), panels: sentences }),
)

const queryPlan: Schema<QueryPlan> = named(
  'QueryPlan',
  'How the database would run a query, or why that is not known.',
  anyOf(
    object<Extract<QueryPlan, { readonly steps: unknown }>>({ steps: list(text()) }),
    object<Extract<QueryPlan, { readonly problem: unknown }>>({ problem: text() }),
  ),
)

/** What a report of a page is answered with. */
const reportResponses: readonly ResponseContent[] = [
  { status: 204, description: 'The report was taken.' },
  jsonResponse(400, 'The report cannot be used.', errorJson),
  jsonResponse(413, 'The report is too large.', errorJson),
  jsonResponse(429, 'Too many reports.', errorJson),
]

const report = { requestBody: { contentType: 'text/plain' }, responses: reportResponses } as const

const message: Schema<unknown> = named(
  'AgentMessage',
  'A message of the Model Context Protocol (JSON-RPC 2.0).',
  anything(),
)

const agents: Address = {
  name: '_profiler_mcp',
  method: 'post',
  path: 'mcp',
  summary: 'Call the tools for agents: the Model Context Protocol over streamable HTTP.',
  requestBody: { contentType: 'application/json', schema: message },
  responses: [
    jsonResponse(200, 'The response of the server, also as an event stream.', message),
    { status: 200, description: 'The same as events.', contentType: 'text/event-stream', schema: text() },
    { status: 202, description: 'A notification was taken.' },
    jsonResponse(400, 'This is no message of the protocol.', message),
    jsonResponse(413, 'The message is too long.', message),
    jsonResponse(501, 'The package of the protocol is not installed.', errorJson),
  ],
}

/** `panels` are those of the application. */
export function otherAddresses(panels: readonly Pick<Panel, 'name'>[]): readonly Address[] {
  return [
    {
      name: '_profiler',
      method: 'get',
      path: '{token}.json',
      summary: 'Read a profile, or one panel of it.',
      parameters: [
        pathToken,
        parameter('panel', 'Only the data of this panel.', { enum: panels.map(({ name }) => name) }),
        parameter('type', 'The only type there is.', { const: 'request' }),
      ],
      responses: [
        jsonResponse(200, 'The profile.', profile),
        jsonResponse(400, 'A parameter is misspelt.', missingPanel),
        jsonResponse(404, 'There is no such panel.', missingPanel),
      ],
    },
    {
      name: '_profiler_pause',
      method: 'post',
      path: 'recording',
      summary: 'Pause recording, or go on: the form of the status page. For forms on this machine.',
      parameters: [
        { ...parameter('accept', 'Without it the response is a page.', { const: 'application/json' }), in: 'header' },
      ],
      requestBody: { contentType: 'application/x-www-form-urlencoded' },
      responses: [
        { status: 302, description: 'Done; leads to the status.' },
        jsonResponse(400, 'The field `paused` is neither yes nor no.', errorJson),
      ],
    },
    {
      name: '_profiler_explain',
      method: 'post',
      path: '{token}/explain/{group}',
      summary: 'Ask the database for the plan of a query. For forms of the database panel on this machine.',
      parameters: [
        pathToken,
        {
          ...parameter('group', 'Index of the query in `groups` of the database panel.', {
            type: 'integer',
            minimum: 0,
          }),
          in: 'path',
          isRequired: true,
        },
        { ...parameter('accept', 'Without it the response is a page.', { const: 'application/json' }), in: 'header' },
      ],
      responses: [jsonResponse(200, 'The plan.', queryPlan), jsonResponse(404, 'There is no such query.', errorJson)],
    },
    {
      name: '_profiler_mail',
      method: 'get',
      path: '{token}/mail/{mail}',
      summary: 'Read the HTML of a mail, as a page that runs and asks for nothing.',
      parameters: [
        pathToken,
        {
          ...parameter('mail', 'Index of the mail in `entries` of the mail panel.', { type: 'integer', minimum: 0 }),
          in: 'path',
          isRequired: true,
        },
      ],
      responses: [
        { status: 200, description: 'The HTML.', contentType: 'text/html', schema: text() },
        jsonResponse(404, 'There is no such mail, or it has no HTML.', errorJson),
      ],
    },
    {
      name: '_profiler_replay_page',
      method: 'get',
      path: '{token}/replay.json',
      summary: 'Read the request of a profile as it can be sent again.',
      parameters: [pathToken],
      responses: [
        jsonResponse(200, 'The request.', replayForm),
        jsonResponse(409, 'It cannot be sent again.', replayForm),
        jsonResponse(404, 'There is no such profile.', errorJson),
      ],
    },
    {
      name: '_profiler_replay',
      method: 'post',
      path: '{token}/replay.json',
      summary: 'Send the request of a profile again. For forms of this profiler on this machine.',
      parameters: [pathToken],
      requestBody: { contentType: 'application/x-www-form-urlencoded' },
      responses: [
        jsonResponse(200, 'It was sent.', replayReport),
        jsonResponse(400, 'Something is missing or cannot be used.', replayForm),
        jsonResponse(409, 'It must be confirmed, or cannot be sent.', replayForm),
        jsonResponse(404, 'There is no such profile.', errorJson),
      ],
    },
    {
      name: '_profiler_page_report',
      method: 'post',
      path: '{token}/browser',
      summary: 'Report errors and vitals of a page, as fanlight/client does; for pages of the same origin.',
      parameters: [pathToken],
      ...report,
    },
    {
      name: '_profiler_report',
      method: 'post',
      path: 'browser',
      summary: 'Report errors and vitals of a page that another server served.',
      ...report,
    },
    {
      name: '_profiler_traces',
      method: 'post',
      path: 'v1/traces',
      summary: 'Take spans of other services: an ExportTraceServiceRequest of OpenTelemetry, as JSON or protobuf.',
      ...handIn(
        object<TraceResponse>({
          partialSuccess: optional(
            object<PartialSuccess>({ rejectedSpans: optional(long), errorMessage: optional(text()) }),
          ),
        }),
      ),
    },
    {
      name: '_profiler_logs',
      method: 'post',
      path: 'v1/logs',
      summary: 'Take log lines of other services: an ExportLogsServiceRequest of OpenTelemetry, as JSON or protobuf.',
      ...handIn(
        object<LogsResponse>({
          partialSuccess: optional(
            object<PartialLogsSuccess>({ rejectedLogRecords: optional(long), errorMessage: optional(text()) }),
          ),
        }),
      ),
    },
    agents,
  ]
}

/** An integer of 64 bits, as OpenTelemetry writes it. */
const long: Schema<Long> = anyOf(integer(), text())

const refusal: Schema<RefusalStatus> = named(
  'OtlpStatus',
  'Why OpenTelemetry data was refused: a Status, with a code of gRPC.',
  object<RefusalStatus>({ code: optional(integer()), message: optional(text()) }),
)

function handIn(taken: AnySchema): Pick<Operation, 'requestBody' | 'responses'> {
  return {
    requestBody: { contentType: 'application/json' },
    responses: [
      jsonResponse(200, 'Taken, but for what `partialSuccess` names.', taken),
      jsonResponse(400, 'The body cannot be read.', refusal),
      jsonResponse(413, 'The body is too large.', refusal),
      jsonResponse(415, 'The body is compressed in another way than gzip, or neither JSON nor protobuf.', refusal),
      jsonResponse(429, 'Too much is being received.', refusal),
    ],
  }
}
