// Types of JSON that only its readers put together: a profile with what each collector records, files, problem documents.

import type { Activities } from '../../activities/activity.ts'
import type { CacheFacts, TemplateFacts } from '../../activities/kinds.ts'
import type { ValidationFacts } from '../../activities/validation-facts.ts'
import type { DatabaseData } from '../../capture/database-data.ts'
import type { HttpClientData } from '../../capture/http-client-data.ts'
import type { CommandData } from '../../collectors/command.ts'
import type { AccessData } from '../../collectors/access.ts'
import type { ConfigData } from '../../collectors/config.ts'
import type { ConnectionsData } from '../../collectors/connections.ts'
import type { CpuData } from '../../collectors/cpu.ts'
import type { DumpData } from '../../collectors/dump.ts'
import type { EventsData } from '../../collectors/events.ts'
import type { GraphqlData } from '../../collectors/graphql.ts'
import type { JobData } from '../../collectors/job.ts'
import type { JobsData } from '../../collectors/jobs.ts'
import type { MemoryData } from '../../collectors/memory.ts'
import type { LoggerData } from '../../collectors/logger.ts'
import type { AiFacts } from '../../activities/ai-facts.ts'
import type { MailFacts } from '../../activities/mail-facts.ts'
import type { RequestData } from '../../collectors/request.ts'
import type { RouterData } from '../../collectors/router.ts'
import type { SessionData } from '../../collectors/session.ts'
import type { TaskData } from '../../collectors/task.ts'
import type { TimeData } from '../../collectors/time.ts'
import type { BrowserData } from '../../browser/browser-data.ts'
import type { ReceivedSpans } from '../../traces/received-spans.ts'
import type { ProfileSummary } from '../../profile.ts'
import type { ExplainedChain } from '../../../errors/value-origin.ts'
import type { Note } from '../../../framework/recording/recording.ts'
import type { ProblemDebug } from '../../../errors/json-renderer.ts'
import type { Surroundings } from '../status/surroundings.ts'

/** What a profile holds, by the names of the collectors. Collectors of the application add their own names. */
export interface RecordedData {
  readonly request?: RequestData
  readonly exception?: ExplainedChain
  readonly time?: TimeData
  readonly cpu?: CpuData
  readonly memory?: MemoryData
  readonly logger?: LoggerData
  readonly events?: EventsData
  readonly router?: RouterData
  readonly session?: SessionData
  readonly access?: AccessData
  readonly 'http-client'?: HttpClientData
  readonly database?: DatabaseData
  readonly graphql?: GraphqlData
  readonly cache?: Activities<CacheFacts>
  readonly connections?: ConnectionsData
  readonly templates?: Activities<TemplateFacts>
  readonly mail?: Activities<MailFacts>
  readonly validation?: Activities<ValidationFacts>
  readonly ai?: Activities<AiFacts>
  readonly dump?: DumpData
  readonly config?: ConfigData
  readonly command?: CommandData
  readonly job?: JobData
  readonly task?: TaskData
  readonly jobs?: JobsData
  readonly browser?: BrowserData
  readonly spans?: ReceivedSpans
  /** Only in the JSON of the panel `config`, while the process that made the profile runs. */
  readonly surroundings?: Surroundings
  readonly notes?: readonly Note[]
  readonly [collector: string]: unknown
}

/** A profile as this version writes it. */
export interface RecordedProfile extends ProfileSummary {
  readonly data: RecordedData
}

/** What `profiles export --json` writes. */
export interface ProfileFile {
  readonly format: 'fanlight-profile'
  readonly version: 1
  readonly profiles: readonly RecordedProfile[]
}

/** The members that every problem document has. */
export interface Problem {
  readonly type: string
  readonly title: string
  readonly status: number
  /** Also in the log line. */
  readonly reference: string
  readonly detail?: string
  readonly debug?: ProblemDebug
  readonly [member: string]: unknown
}

/** Data of the event `profiles`. */
export interface LiveProfiles {
  readonly count: number
  readonly missed: number
  readonly more: boolean
  readonly profiles: readonly ProfileSummary[]
}
