// What the document says of each page.

import { groupings } from '../../profile-store.ts'
import { issueStates } from '../../issues/issues.ts'
import { exportFormats } from '../../query/export-forms.ts'
import { groupOrders } from '../../query/groups.ts'
import type { PageName } from '../profiler-routes.ts'
import { filterParameters, listParameters, parameter, tokenParameter } from './parameters.ts'
import { jsonResponse, type PageOperation } from './operation.ts'
import { schemaOf, text } from './schema.ts'

export const pageOperations: Readonly<Record<PageName, PageOperation>> = {
  _profiler_home: {
    summary: 'List profiles. Status 400: a filter cannot be used.',
    parameters: listParameters,
    statuses: [200, 400],
  },
  _profiler_live: {
    summary: 'Wait for new profiles. The stream ends after 5 minutes; the field Last-Event-ID, or from, resumes it.',
    parameters: [...filterParameters, parameter('from', 'Cursor of what is known already: `newest` of a list.')],
    responses: [
      {
        status: 200,
        description: 'Server-sent events.',
        contentType: 'text/event-stream',
        schema: text,
        events: { profiles: schemaOf('LiveProfiles'), trouble: schemaOf('LiveTrouble') },
      },
      jsonResponse(400, 'A filter cannot be used.', 'Problems'),
      jsonResponse(503, 'Too many streams are open, or the application is closing.', 'Error'),
    ],
  },
  _profiler_latest: {
    summary: 'Find the newest profile.',
    parameters: [parameter('panel', 'Only this panel.')],
    responses: [
      { status: 302, description: 'Leads to the profile.', headers: { location: 'Address of the profile.' } },
      jsonResponse(404, 'There is no profile yet.', 'Error'),
    ],
  },
  _profiler_groups: {
    summary: 'Count profiles by route, error family or version. Status 400: a parameter cannot be used.',
    parameters: [
      ...filterParameters,
      parameter('by', 'What profiles of a group have in common.', { enum: groupings, default: 'route' }),
      parameter('sort', 'The greatest first.', { enum: groupOrders, default: 'count' }),
    ],
    statuses: [200, 400],
  },
  _profiler_issues: {
    summary: 'List errors as open, fixed or regressed, by the versions of the application.',
    parameters: [...filterParameters, parameter('state', 'Only these.', { enum: issueStates })],
    statuses: [200, 400],
  },
  _profiler_runs: {
    summary: 'Compare two runs route by route: by default the newest start with the one before it.',
    parameters: [
      ...filterParameters,
      parameter('base-since', 'The base begins: a time.'),
      parameter('base-until', 'The base ends: a time.'),
      parameter('base-version', 'Version of the base.'),
    ],
    statuses: [200, 400],
  },
  _profiler_trace: {
    summary: 'Read a trace: the spans of all services, nested. Without an ID: the newest traces of several requests.',
    parameters: [
      parameter('id', 'Trace ID, 32 hex digits, or the token of a profile.'),
      parameter('span', 'Pages and Markdown: only this span and what is inside it.'),
      parameter('from', 'Pages and Markdown: number of the first row.'),
    ],
    responses: [
      jsonResponse(400, 'A parameter cannot be used.', 'Error'),
      jsonResponse(404, 'Nothing is known of the trace, the profile or the span.', 'Error'),
    ],
  },
  _profiler_open: {
    summary: 'List the requests of this process without a response.',
  },
  _profiler_tasks: {
    summary: 'List the scheduled tasks that have run: the last run of each, the next one, failures.',
  },
  _profiler_lock: {
    summary: 'See whether the application is closed, when it will be, and when it was.',
    responses: [
      jsonResponse(404, 'The application has no lock.', 'Error'),
      jsonResponse(503, 'The lock cannot be read.', 'Error'),
    ],
  },
  _profiler_compare: {
    summary: 'Compare two profiles.',
    parameters: [
      parameter('a', 'Token, or latest.'),
      parameter('b', 'Token, latest, or median: the median of the same method and route.'),
      parameter('with', 'Instead of a and b: two tokens.'),
    ],
    statuses: [200, 400],
    responses: [
      {
        status: 302,
        description: 'with: leads to the comparison of both.',
        headers: { location: 'Address of the comparison.' },
      },
    ],
  },
  _profiler_changes: {
    summary: 'Ask whether source files of an error have changed.',
    parameters: [tokenParameter],
    responses: [jsonResponse(200, 'The stamp.', 'Changes')],
  },
  _profiler_reload: {
    summary: 'Wait for the next process, as pages do under fanlight dev.',
    responses: [
      {
        status: 200,
        description: 'Server-sent events; `process` names the process.',
        contentType: 'text/event-stream',
        schema: text,
      },
    ],
  },
  _profiler_export: {
    summary: 'See what is masked in a profile, or save it as a file.',
    parameters: [
      tokenParameter,
      parameter('as', 'The file itself. Default: what is masked.', { enum: Object.keys(exportFormats) }),
    ],
    statuses: [200, 400],
    responses: [
      jsonResponse(200, 'as=json', 'ProfileFile'),
      jsonResponse(200, 'as=har', 'Har'),
      jsonResponse(200, 'as=otlp', 'OtlpTraces'),
      { status: 200, description: 'as=html', contentType: 'text/html', schema: text },
      { status: 200, description: 'as=markdown', contentType: 'text/markdown', schema: text },
      { status: 302, description: 'token=latest: leads to the newest profile.', headers: { location: 'Its address.' } },
    ],
  },
  _profiler_routes: {
    summary: 'List the routes, and try a request.',
    parameters: [
      parameter('filter', 'Part of a name, path, handler or place.'),
      parameter('unused', '1: only routes that were never hit.', { const: '1' }),
      parameter('url', 'Path or URL to try.'),
      parameter('method', 'Method to try. Default: GET.'),
    ],
    statuses: [200, 400],
  },
  _profiler_status: {
    summary: 'See how the profiler itself is doing.',
  },
  _profiler_openapi: {
    summary: 'Get this document.',
  },
  _profiler_help: {
    summary: 'See what there is: pages, filters, keys, commands.',
  },
}
