// What the document says of each page.

import { groupings } from '../../profile-store.ts'
import type { ProfileSummary } from '../../profile.ts'
import { issueStates } from '../../issues/issues.ts'
import { exportFormats } from '../../query/export-forms.ts'
import { groupOrders } from '../../query/groups.ts'
import type { PageJson } from '../page-json.ts'
import type { PageName } from '../profiler-routes.ts'
import { filterParameters, listParameters, parameter, tokenParameter } from './parameters.ts'
import { jsonResponse, type PageOperation } from './operation.ts'
import { compareChoice, compared, runs } from './comparison-schemas.ts'
import { errorJson, exported, groups, help, issues, profileList } from './page-schemas.ts'
import { lock } from './lock-schemas.ts'
import { knownTasks } from './run-schemas.ts'
import { openRequests, routes, status } from './process-schemas.ts'
import { nullableText, profileSummary, sentences } from './profiles.ts'
import { profileFile } from './recorded-data.ts'
import { recentTraces, trace } from './trace-schemas.ts'
import { anyOf, anything, boolean, integer, list, named, object, text } from './schema.ts'
import type { OpenApiDocument } from './openapi-document.ts'

/** Data of the event `profiles`. */
interface LiveProfiles {
  readonly count: number
  readonly missed: number
  readonly more: boolean
  readonly profiles: readonly ProfileSummary[]
}

const liveEvents = {
  profiles: named(
    'LiveProfiles',
    'New profiles, newest first. `missed` more came at the same time; `more`: and even more.',
    object<LiveProfiles>({ count: integer(), missed: integer(), more: boolean(), profiles: list(profileSummary) }),
  ),
  trouble: named(
    'LiveTrouble',
    'Why profiles may be missing; null when that is over.',
    object<{ readonly error: string | null }>({ error: nullableText }),
  ),
}

const har = named('Har', 'An HTTP Archive 1.2 of the request.', anything())

const otlp = named('OtlpTraces', 'An ExportTraceServiceRequest of OpenTelemetry.', anything())

export const pageOperations: { readonly [Name in PageName]: PageOperation<PageJson[Name]> } = {
  _profiler_home: {
    summary: 'List profiles. Status 400: a filter cannot be used.',
    parameters: listParameters,
    json: profileList,
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
        schema: text(),
        events: liveEvents,
      },
      jsonResponse(
        400,
        'A filter cannot be used.',
        object<{ readonly problems: readonly string[] }>({ problems: sentences }),
      ),
      jsonResponse(503, 'Too many streams are open, or the application is closing.', errorJson),
    ],
  },
  _profiler_latest: {
    summary: 'Find the newest profile.',
    parameters: [parameter('panel', 'Only this panel.')],
    responses: [
      { status: 302, description: 'Leads to the profile.', headers: { location: 'Address of the profile.' } },
      jsonResponse(404, 'There is no profile yet.', errorJson),
    ],
  },
  _profiler_groups: {
    summary: 'Count profiles by route, error family or version. Status 400: a parameter cannot be used.',
    parameters: [
      ...filterParameters,
      parameter('by', 'What profiles of a group have in common.', { enum: groupings, default: 'route' }),
      parameter('sort', 'The greatest first.', { enum: groupOrders, default: 'count' }),
    ],
    json: groups,
    statuses: [200, 400],
  },
  _profiler_issues: {
    summary: 'List errors as open, fixed or regressed, by the versions of the application.',
    parameters: [...filterParameters, parameter('state', 'Only these.', { enum: issueStates })],
    json: issues,
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
    json: runs,
    statuses: [200, 400],
  },
  _profiler_trace: {
    summary: 'Read a trace: the spans of all services, nested. Without an ID: the newest traces of several requests.',
    parameters: [
      parameter('id', 'Trace ID, 32 hex digits, or the token of a profile.'),
      parameter('span', 'Pages and Markdown: only this span and what is inside it.'),
      parameter('from', 'Pages and Markdown: number of the first row.'),
    ],
    json: anyOf(trace, recentTraces),
    also: [
      jsonResponse(400, 'A parameter cannot be used.', errorJson),
      jsonResponse(404, 'Nothing is known of the trace, the profile or the span.', errorJson),
    ],
  },
  _profiler_open: {
    summary: 'List the requests of this process without a response.',
    json: openRequests,
  },
  _profiler_tasks: {
    summary: 'List the scheduled tasks that have run: the last run of each, the next one, failures.',
    json: knownTasks,
  },
  _profiler_lock: {
    summary: 'See whether the application is closed, when it will be, and when it was.',
    json: lock,
    also: [
      jsonResponse(404, 'The application has no lock.', errorJson),
      jsonResponse(503, 'The lock cannot be read.', errorJson),
    ],
  },
  _profiler_compare: {
    summary: 'Compare two profiles.',
    parameters: [
      parameter('a', 'Token, or latest.'),
      parameter('b', 'Token, latest, or median: the median of the same method and route.'),
      parameter('with', 'Instead of a and b: two tokens.'),
    ],
    json: anyOf(compared, compareChoice),
    statuses: [200, 400],
    also: [
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
    responses: [
      jsonResponse(
        200,
        'The stamp changes with each own file of the traces, and with the process.',
        object<{ readonly stamp: string }>({ stamp: text() }),
      ),
    ],
  },
  _profiler_reload: {
    summary: 'Wait for the next process, as pages do under fanlight dev.',
    responses: [
      {
        status: 200,
        description: 'Server-sent events; `process` names the process.',
        contentType: 'text/event-stream',
        schema: text(),
      },
    ],
  },
  _profiler_export: {
    summary: 'See what is masked in a profile, or save it as a file.',
    parameters: [
      tokenParameter,
      parameter('as', 'The file itself. Default: what is masked.', { enum: Object.keys(exportFormats) }),
    ],
    json: exported,
    statuses: [200, 400],
    also: [
      jsonResponse(200, 'as=json', profileFile),
      jsonResponse(200, 'as=har', har),
      jsonResponse(200, 'as=otlp', otlp),
      { status: 200, description: 'as=html', contentType: 'text/html', schema: text() },
      { status: 200, description: 'as=markdown', contentType: 'text/markdown', schema: text() },
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
    json: routes,
    statuses: [200, 400],
  },
  _profiler_status: {
    summary: 'See how the profiler itself is doing.',
    json: status,
  },
  _profiler_openapi: {
    summary: 'Get this document.',
    json: named('OpenApiDocument', 'An OpenAPI 3.1 document.', anything<OpenApiDocument>()),
  },
  _profiler_help: {
    summary: 'See what there is: pages, filters, keys, commands.',
    json: help,
  },
}
