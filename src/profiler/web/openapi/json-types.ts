// The types of the profiler's JSON, by their names in the OpenAPI document. `scripts/openapi.ts` writes `schemas.json` from
// them: members, doc comments and what is optional come from the types.

import type { ErrorChain, Frame, SourceExcerpt } from '../../../errors/flattened-error.ts'
import type { ChainData, ProblemDebug } from '../../../errors/json-renderer.ts'
import type { ChangeCandidate, ExplainedChain, ValueOrigin } from '../../../errors/value-origin.ts'
import type { LogRecord } from '../../../framework/log/record-logger.ts'
import type { CapturedBody } from '../../../framework/recording/captured-body.ts'
import type { PlainValue } from '../../../framework/redact/plain-value.ts'
import type { ValueTree } from '../../../framework/redact/value-tree.ts'
import type { Suggestion } from '../../../framework/routing/suggest-routes.ts'
import type { Span } from '../../../framework/timing/span.ts'
import type { Activities } from '../../activities/activity.ts'
import type { AiFacts } from '../../activities/ai-facts.ts'
import type { CacheFacts, TemplateFacts } from '../../activities/kinds.ts'
import type { MailFacts } from '../../activities/mail-facts.ts'
import type { ValidationFacts } from '../../activities/validation-facts.ts'
import type { BrowserData } from '../../browser/browser-data.ts'
import type { DatabaseData, DatabaseQuery } from '../../capture/database-data.ts'
import type { HttpClientData, OutgoingRequest } from '../../capture/http-client-data.ts'
import type { QueryPlan } from '../../capture/query-plans.ts'
import type { SequentialWait } from '../../capture/sequential-waits.ts'
import type { AccessData } from '../../collectors/access.ts'
import type { CommandData } from '../../collectors/command.ts'
import type { ConfigData } from '../../collectors/config.ts'
import type { ConnectionsData } from '../../collectors/connections.ts'
import type { CpuData } from '../../collectors/cpu.ts'
import type { DumpData } from '../../collectors/dump.ts'
import type { EventsData } from '../../collectors/events.ts'
import type { GraphqlData } from '../../collectors/graphql.ts'
import type { JobData, JobRun } from '../../collectors/job.ts'
import type { JobsData } from '../../collectors/jobs.ts'
import type { LoggerData } from '../../collectors/logger.ts'
import type { MemoryData } from '../../collectors/memory.ts'
import type { RequestData } from '../../collectors/request.ts'
import type { RouterData } from '../../collectors/router.ts'
import type { SessionData } from '../../collectors/session.ts'
import type { TaskData } from '../../collectors/task.ts'
import type { LoopHindrance, TimeData } from '../../collectors/time.ts'
import type { RouteDifference } from '../../compare/compare-runs.ts'
import type { ComparedRun } from '../../compare/read-runs.ts'
import type { FleetStats } from '../../fleet-stats.ts'
import type { Issue } from '../../issues/issues.ts'
import type { LockFacts, PeriodFacts, WindowFacts } from '../../lock-facts.ts'
import type { OpenRequest, OpenRequestsData } from '../../open-requests/open-requests.ts'
import type { LogsResponse, RefusalStatus, TraceResponse } from '../../otlp/messages.ts'
import type { MissingParts, ProfileGroup, ProfileStoreStats } from '../../profile-store.ts'
import type { Finding, ProfileSummary } from '../../profile.ts'
import type { RouteFacts, RouteTrial } from '../../query/route-table.ts'
import type { ReplayReport } from '../../replay/replay-report.ts'
import type { RecordedChild, RouterTraceEntry } from '../../request-record.ts'
import type { KnownTasks, TaskRun } from '../../runs/read-tasks.ts'
import type { ReceivedSpans } from '../../traces/received-spans.ts'
import type { TraceSpan } from '../../traces/trace-span.ts'
import type { PlacedSpan } from '../../traces/trace.ts'
import type { MissingPanelJson } from '../asked-part.ts'
import type { CompareChoiceJson, ComparedJson } from '../compare/compare-page.ts'
import type { RunsJson } from '../compare/runs-page.ts'
import type { ExportJson } from '../export/export-page.ts'
import type { GroupsJson } from '../groups/groups-page.ts'
import type { HelpJson } from '../help-page.ts'
import type { IssuesJson } from '../issues/issues-page.ts'
import type { ListJson } from '../list-page.ts'
import type { ErrorJson } from '../profiler-page.ts'
import type { ReplayForm } from '../replay/replay-page.ts'
import type { RoutesPageView } from '../routes-view.ts'
import type { StatusJson } from '../status/status-page.ts'
import type { Surroundings } from '../status/surroundings.ts'
import type { RecentTracesJson, TraceJson } from '../trace/trace-page.ts'

import type { LiveProfiles, Problem, ProfileFile, RecordedData, RecordedProfile } from './recorded-data.ts'

export interface JsonTypes {
  /** The user of the request, and what was decided about access. */
  readonly AccessData: AccessData
  /** A message of the Model Context Protocol (JSON-RPC 2.0). */
  readonly AgentMessage: unknown
  /** Calls to language models, and the tools that they asked for, in the order they began. Times are milliseconds; null: unknown. */
  readonly AiData: Activities<AiFacts>
  /** What the page reported: errors, web vitals, how it was loaded. `token` of an error: its profile, with frames and source. */
  readonly BrowserData: BrowserData
  /** Reads and writes of caches, in the order they began. Times are milliseconds since the request began; null: unknown. */
  readonly CacheData: Activities<CacheFacts>
  /** The body of a request, as far as it was captured. */
  readonly CapturedBody: CapturedBody
  /** A line that is most likely wrong. */
  readonly ChangeCandidate: ChangeCandidate
  /** The stamp changes with each own file of the traces, and with the process. */
  readonly Changes: { readonly stamp: string }
  /** What was run from the command line. */
  readonly CommandData: CommandData
  /** Two profiles, section by section. A positive difference: A has more. */
  readonly Comparison: ComparedJson
  /** What the other side can be compared with, if one is not named. */
  readonly ComparisonChoice: CompareChoiceJson
  /** Versions, environment and limits of the application. */
  readonly ConfigData: ConfigData
  /** WebSockets and streams of events, in the order they were opened. Times are milliseconds; null: still open. */
  readonly ConnectionsData: ConnectionsData
  /** Which functions used the CPU time. */
  readonly CpuData: CpuData
  /** The queries of the request, and those that repeat each other. */
  readonly DatabaseData: DatabaseData
  /** One query. `group` is the index of its text in `groups`. */
  readonly DatabaseQuery: DatabaseQuery
  /** What the code dumped. */
  readonly DumpData: DumpData
  /** Why the page cannot show what was asked for, in one sentence. */
  readonly Error: ErrorJson
  /** An error and its causes, outermost first. */
  readonly ErrorChain: ErrorChain
  /** The steps of the request: listeners, middleware, hooks. */
  readonly EventsData: EventsData
  /** What was thrown, and what explains it. */
  readonly ExplainedChain: ExplainedChain
  /** What is masked in a profile, and the addresses of the files to save. */
  readonly ExportPreview: ExportJson
  /** A reason to look at a profile. */
  readonly Finding: Finding
  /** How a store that several machines share does, as this process sees it. */
  readonly FleetStats: FleetStats
  /** A frame of a stack trace. `file` is relative to the project; node_modules/… for dependencies, node:… for Node. */
  readonly Frame: Frame
  /** The GraphQL operations, and how long the resolvers ran. */
  readonly GraphqlData: GraphqlData
  /** An HTTP Archive 1.2 of the request. */
  readonly Har: unknown
  /** What there is: pages, filters, keys, commands. */
  readonly Help: HelpJson
  /** The outgoing requests, in the order they began. */
  readonly HttpClientData: HttpClientData
  /** Errors of one origin over the versions of a service. */
  readonly Issue: Issue
  /** Errors over the versions of the application: regressed ones first, then open, then fixed ones. */
  readonly Issues: IssuesJson
  /** A run of a job. Instants are milliseconds since 1970, times milliseconds; null: unknown. */
  readonly JobData: JobData
  /** A run of a job. Status 200: it completed; 500: it failed. */
  readonly JobRun: JobRun
  /** Jobs that the request added to queues, with the runs that there are of them. Times are milliseconds; null: unknown. */
  readonly JobsData: JobsData
  /** The scheduled tasks of kept runs. isCut: the store has older runs. */
  readonly KnownTasks: KnownTasks
  /** New profiles, newest first. `missed` more came at the same time; `more`: and even more. */
  readonly LiveProfiles: LiveProfiles
  /** Why profiles may be missing; null when that is over. */
  readonly LiveTrouble: { readonly error: string | null }
  /** Whether the application is closed, when it will be, and when it was. */
  readonly Lock: LockFacts
  /** A time in which the application was closed; to is null while it lasts. */
  readonly LockPeriod: PeriodFacts
  /** A time in which the application is closed by plan. */
  readonly LockWindow: WindowFacts
  /** A line of the log, with values in its context. */
  readonly LogLine: LogRecord
  /** The log of the request. `dropped` lines were not kept. */
  readonly LoggerData: LoggerData
  /** A request that delayed another one. */
  readonly LoopHindrance: LoopHindrance
  /** What was taken of an ExportLogsServiceRequest. */
  readonly LogsResponse: LogsResponse
  /** Mails, with their recipients masked, in the order they began. Times are milliseconds since the request began; null: unknown. */
  readonly MailData: Activities<MailFacts>
  /** Which functions allocated memory in the whole process while the request ran, in bytes. */
  readonly MemoryData: MemoryData
  /** The profile has no such panel; `panels` are those that it has. */
  readonly MissingPanel: MissingPanelJson
  /** Parts of a shared store that did not respond: their profiles are missing. */
  readonly MissingParts: MissingParts
  /** An OpenAPI 3.1 document. */
  readonly OpenApiDocument: unknown
  /** A request that has not ended, and where it is now. */
  readonly OpenRequest: OpenRequest
  /** Requests of this process that have not ended, oldest first. */
  readonly OpenRequests: OpenRequestsData
  /** Why OpenTelemetry data was refused: a Status, with a code of gRPC. */
  readonly OtlpStatus: RefusalStatus
  /** An ExportTraceServiceRequest of OpenTelemetry. */
  readonly OtlpTraces: unknown
  /** A request that the application sent. Times are milliseconds; null: unknown, or it did not get so far. */
  readonly OutgoingRequest: OutgoingRequest
  /** A span in its place in a trace. `depth`: how many spans it is inside; `inside`: how many are inside it. */
  readonly PlacedSpan: PlacedSpan
  /** A value as JSON has it. */
  readonly PlainValue: PlainValue
  /** The response of the application to an error, for Accept: application/json. `reference` is in the log line, too. Errors add further members. */
  readonly Problem: Problem
  /** What explains the error; only for those who may open profiles. */
  readonly ProblemDebug: ProblemDebug
  /** An error and its causes, outermost first. `trace` has a line for each frame. */
  readonly ProblemErrors: ChainData
  /** What cannot be used, one sentence each. */
  readonly Problems: { readonly problems: readonly string[] }
  /** One recorded request, command, job or task with what its collectors recorded. */
  readonly Profile: RecordedProfile
  /** A file of profiles, which can be imported: a request and its sub-requests. */
  readonly ProfileFile: ProfileFile
  /**
   * Profiles that have the route, the error family or the version in common. `strip`: how many began in each of 24 equal parts of the time.
   */
  readonly ProfileGroup: ProfileGroup
  /** Profiles, counted by what they have in common. */
  readonly ProfileGroups: GroupsJson
  /** A page of the list. `next` is the value of `after` for the next page. */
  readonly ProfileList: ListJson
  /**
   * One recorded request, command, job or task, as lists show it. `status` 0: no response was sent. `url` has its query, masked. `method` of what
   * is not a request: COMMAND, JOB of a queue, TASK of a schedule, BROWSER for a report of a page, SPANS for spans of another service.
   * `errorFamily` is the same for errors of the same origin, `ownCpuMs` is how long code of the request ran.
   */
  readonly ProfileSummary: ProfileSummary
  /** How the database would run a query, or why that is not known. */
  readonly QueryPlan: QueryPlan
  /** Spans that another service sent. `dropped` more were not kept. */
  readonly ReceivedSpans: ReceivedSpans
  /** The newest traces of several requests. */
  readonly RecentTraces: RecentTracesJson
  /** What each collector recorded, by its name. Collectors of plugins and of the application add further names. */
  readonly RecordedData: RecordedData
  /** A recorded request that can be sent again, what is missing in it, and why a form was refused. */
  readonly ReplayForm: ReplayForm
  /** Replays of a request, compared with it: A is the replay, or the median of several. */
  readonly ReplayReport: ReplayReport
  /** The request and its response. Everything is masked. */
  readonly RequestData: RequestData
  /** A route of the application. No methods or schemes: any. */
  readonly Route: RouteFacts
  /** One route in both runs. */
  readonly RouteDifference: RouteDifference
  /** Whether one route matched, and why not. */
  readonly RouteMatch: RouterTraceEntry
  /** A near route, with a request that it would take. */
  readonly RouteSuggestion: Suggestion
  /** The routes of the application, faults of the table, and the request that was tried. */
  readonly RouteTable: RoutesPageView
  /** Which route takes a request, and why the others do not. */
  readonly RouteTrial: RouteTrial
  /** The result of routing. `trace` and `suggestions` are empty if a route matched. */
  readonly RouterData: RouterData
  /** One side of a comparison of runs. */
  readonly Run: ComparedRun
  /** Two runs, route by route. `run` and `base` are null if there is nothing to compare. */
  readonly RunComparison: RunsJson
  /** Two waits of one function that could run side by side. */
  readonly SequentialWait: SequentialWait
  /** The session with what changed in it, flash messages, and cookies in both directions without their values. */
  readonly SessionData: SessionData
  /** Lines of source, each as pairs of the kind of a token (kwd, str, …) and its text. */
  readonly SourceExcerpt: SourceExcerpt
  /** A timed piece of work. Times are milliseconds since the request began. */
  readonly Span: Span
  /** How the profiler itself is doing. Counts are of this process since its start. */
  readonly Status: StatusJson
  /** What the store holds, and its bounds. */
  readonly StoreStats: ProfileStoreStats
  /** A sub-request, as the profile of its parent lists it. */
  readonly SubRequest: RecordedChild
  /** Installed packages, and names of environment variables. */
  readonly Surroundings: Surroundings
  /** A run of a scheduled task. Instants are milliseconds since 1970, times milliseconds; null: unknown. */
  readonly TaskData: TaskData
  /** A run of a scheduled task, and what it failed with. */
  readonly TaskRun: TaskRun
  /** Templates that were rendered, in the order they began: those inside of others came from them. */
  readonly TemplatesData: Activities<TemplateFacts>
  /** Where the time went, in milliseconds. Null: not measured. */
  readonly TimeData: TimeData
  /** The spans of all services of a trace, each before those inside it. Times are since `startTime`, clocks corrected. */
  readonly Trace: TraceJson
  /** What was taken of an ExportTraceServiceRequest. */
  readonly TraceResponse: TraceResponse
  /** A span of a trace of several services, by the clock of its machine. */
  readonly TraceSpan: TraceSpan
  /** Keys that were translated, each once, in the order they were first asked for. */
  /** Values that validators checked, in the order they began. `faults` has the first ones, `faultCount` counts all. */
  readonly ValidationData: Activities<ValidationFacts>
  /** Where a name of the failed line gets its value. */
  readonly ValueOrigin: ValueOrigin
  /**
   * A value with what JSON loses: classes, sizes, circles, and where it was cut. `head` is the class, with the size of a map or set; empty for plain
   * objects and arrays.
   */
  readonly ValueTree: ValueTree
}
