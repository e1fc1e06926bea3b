// The schema of a profile: its summary, and what each collector recorded.

import type { Activities } from '../../activities/activity.ts'
import type { CacheFacts, TemplateFacts } from '../../activities/kinds.ts'
import type { TranslationFacts } from '../../activities/translation-facts.ts'
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
import type { InstalledPackage, Surroundings } from '../status/surroundings.ts'
import { connections } from './activities-connections.ts'
import { access, session } from './client-parts.ts'
import { cache, templates, translations, validation } from './activities.ts'
import { ai } from './activities-ai.ts'
import { mail } from './activities-mail.ts'
import { explainedChain } from './errors.ts'
import { nullableText, sentences, summaryMembers } from './profiles.ts'
import { command, config, dump, events, logger, request, router } from './request-parts.ts'
import { job, jobs, task } from './run-schemas.ts'
import { integer, list, named, object, oneOf, optional, text, type Schema } from './schema.ts'
import { browser, spans } from './trace-schemas.ts'
import { cpu, database, graphql, httpClient, memory, time } from './work-parts.ts'

/** What a profile holds, by the names of the collectors. Collectors of the application add names of their own. */
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
  readonly translations?: Activities<TranslationFacts>
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
}

export const surroundings: Schema<Surroundings> = named(
  'Surroundings',
  'Installed packages, and names of environment variables.',
  object<Surroundings>({
    packages: list(object<InstalledPackage>({ name: text(), version: nullableText })),
    environmentNames: sentences,
    omitted: integer(),
  }),
)

const recordedData: Schema<RecordedData> = named(
  'RecordedData',
  'What each collector recorded, by its name. Collectors of plugins and of the application add further names.',
  object<RecordedData>(
    {
      request: optional(request),
      exception: optional(explainedChain),
      time: optional(time),
      cpu: optional(cpu),
      memory: optional(memory),
      logger: optional(logger),
      events: optional(events),
      router: optional(router),
      session: optional(session),
      access: optional(access),
      'http-client': optional(httpClient),
      database: optional(database),
      graphql: optional(graphql),
      cache: optional(cache),
      connections: optional(connections),
      templates: optional(templates),
      mail: optional(mail),
      validation: optional(validation),
      translations: optional(translations),
      ai: optional(ai),
      dump: optional(dump),
      config: optional(config),
      command: optional(command),
      job: optional(job),
      task: optional(task),
      jobs: optional(jobs),
      browser: optional(browser),
      spans: optional(spans),
      surroundings: optional(surroundings),
      notes: optional(list(object<Note>({ source: text(), message: text() }))),
    },
    { additionalProperties: true },
  ),
)

/** A profile as this version writes it. */
export interface RecordedProfile extends ProfileSummary {
  readonly data: RecordedData
}

export const profile: Schema<RecordedProfile> = named(
  'Profile',
  'One recorded request, command, job or task with what its collectors recorded.',
  object<RecordedProfile>({ ...summaryMembers, data: recordedData }),
)

/** What `profiles export --json` writes. */
interface ProfileFile {
  readonly format: 'fanlight-profile'
  readonly version: 1
  readonly profiles: readonly RecordedProfile[]
}

export const profileFile: Schema<ProfileFile> = named(
  'ProfileFile',
  'A file of profiles, which can be imported: a request and its sub-requests.',
  object<ProfileFile>({ format: oneOf('fanlight-profile'), version: oneOf(1), profiles: list(profile) }),
)
