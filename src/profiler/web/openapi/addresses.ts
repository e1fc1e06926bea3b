// What the document says of addresses that are not pages of `profiler-routes.ts`: a profile, and what is posted.

import type { Panel } from '../panel.ts'
import type { JsonTypes } from './json-types.ts'
import { jsonResponse, type Operation, type Parameter, type ResponseContent } from './operation.ts'
import { parameter, pathToken } from './parameters.ts'
import { schemaOf, text } from './schema.ts'

/** An address with its method. */
export interface Address extends Operation {
  readonly name: string
  readonly method: 'get' | 'post'
  /** Below the profiler's path: `{token}.json`. */
  readonly path: string
}

/** The responses to a report of a page. */
const reportResponses: readonly ResponseContent[] = [
  { status: 204, description: 'The report was taken.' },
  jsonResponse(400, 'The report cannot be used.', 'Error'),
  jsonResponse(413, 'The report is too large.', 'Error'),
  jsonResponse(429, 'Too many reports.', 'Error'),
]

const report = { requestBody: { contentType: 'text/plain' }, responses: reportResponses } as const

const agents: Address = {
  name: '_profiler_mcp',
  method: 'post',
  path: 'mcp',
  summary: 'Call the tools for agents: the Model Context Protocol over streamable HTTP.',
  requestBody: { contentType: 'application/json', schema: schemaOf('AgentMessage') },
  responses: [
    jsonResponse(200, 'The response of the server, also as an event stream.', 'AgentMessage'),
    { status: 200, description: 'The same as events.', contentType: 'text/event-stream', schema: text },
    { status: 202, description: 'A notification was taken.' },
    jsonResponse(400, 'This is not a message of the protocol.', 'AgentMessage'),
    jsonResponse(413, 'The message is too long.', 'AgentMessage'),
    jsonResponse(501, 'The package of the protocol is not installed.', 'Error'),
  ],
}

const acceptJson: Parameter = {
  ...parameter('accept', 'Without it the response is a page.', { const: 'application/json' }),
  in: 'header',
}

function pathIndex(name: string, description: string): Parameter {
  return { ...parameter(name, description, { type: 'integer', minimum: 0 }), in: 'path', isRequired: true }
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
        jsonResponse(200, 'The profile.', 'Profile'),
        jsonResponse(400, 'A parameter is misspelt.', 'MissingPanel'),
        jsonResponse(404, 'There is no such panel.', 'MissingPanel'),
      ],
    },
    {
      name: '_profiler_pause',
      method: 'post',
      path: 'recording',
      summary: 'Pause recording, or go on: the form of the status page. For forms on this machine.',
      parameters: [acceptJson],
      requestBody: { contentType: 'application/x-www-form-urlencoded' },
      responses: [
        { status: 302, description: 'Done; leads to the status.' },
        jsonResponse(400, 'The field `paused` is neither yes nor no.', 'Error'),
      ],
    },
    {
      name: '_profiler_explain',
      method: 'post',
      path: '{token}/explain/{group}',
      summary: 'Ask the database for the plan of a query. For forms of the database panel on this machine.',
      parameters: [pathToken, pathIndex('group', 'Index of the query in `groups` of the database panel.'), acceptJson],
      responses: [jsonResponse(200, 'The plan.', 'QueryPlan'), jsonResponse(404, 'There is no such query.', 'Error')],
    },
    {
      name: '_profiler_mail',
      method: 'get',
      path: '{token}/mail/{mail}',
      summary: 'Read the HTML of a mail, as a page that runs and asks for nothing.',
      parameters: [pathToken, pathIndex('mail', 'Index of the mail in `entries` of the mail panel.')],
      responses: [
        { status: 200, description: 'The HTML.', contentType: 'text/html', schema: text },
        jsonResponse(404, 'There is no such mail, or it has no HTML.', 'Error'),
      ],
    },
    {
      name: '_profiler_replay_page',
      method: 'get',
      path: '{token}/replay.json',
      summary: 'Read the request of a profile as it can be sent again.',
      parameters: [pathToken],
      responses: [
        jsonResponse(200, 'The request.', 'ReplayForm'),
        jsonResponse(409, 'It cannot be sent again.', 'ReplayForm'),
        jsonResponse(404, 'There is no such profile.', 'Error'),
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
        jsonResponse(200, 'It was sent.', 'ReplayReport'),
        jsonResponse(400, 'Something is missing or cannot be used.', 'ReplayForm'),
        jsonResponse(409, 'It must be confirmed, or cannot be sent.', 'ReplayForm'),
        jsonResponse(404, 'There is no such profile.', 'Error'),
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
      ...handIn('TraceResponse'),
    },
    {
      name: '_profiler_logs',
      method: 'post',
      path: 'v1/logs',
      summary: 'Take log lines of other services: an ExportLogsServiceRequest of OpenTelemetry, as JSON or protobuf.',
      ...handIn('LogsResponse'),
    },
    agents,
  ]
}

function handIn(name: keyof JsonTypes): Pick<Operation, 'requestBody' | 'responses'> {
  return {
    requestBody: { contentType: 'application/json' },
    responses: [
      jsonResponse(200, 'Taken, but for what `partialSuccess` names.', name),
      jsonResponse(400, 'The body cannot be read.', 'OtlpStatus'),
      jsonResponse(413, 'The body is too large.', 'OtlpStatus'),
      jsonResponse(415, 'The body is compressed in another way than gzip, or neither JSON nor protobuf.', 'OtlpStatus'),
      jsonResponse(429, 'Too much is being received.', 'OtlpStatus'),
    ],
  }
}
