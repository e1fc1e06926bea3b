// Makes the profile of a record, in the store's thread or in place.

import { HttpRequest } from '../base/http/request.ts'
import { Reply } from '../base/http/reply.ts'
import { isErrorLevel } from '../base/log/logger.ts'
import { defaultSlowMs, isErrorOutcome, isOpenEnded, type Outcome } from './sampling/recording-rules.ts'
import type { Note } from '../http/recording/recording.ts'
import { SourceFiles } from '../errors/source-files.ts'
import { Redactor } from '../base/redact/redactor.ts'
import type { RedactionRules } from '../base/redact/rules.ts'
import { findingNames, foundIn, noFacts, type Profile, type ProfileSummary } from '../observe/profile.ts'
import { failureNote, holdWithinBound, maxProfileBytes, partOf, type Part } from '../observe/profile-parts.ts'
import type { BuiltInCollector, RequestRecord } from '../observe/request-record.ts'
import { configCollector, type ConfigData } from '../observe/collectors/config.ts'
import { userName } from '../observe/client/user.ts'
import { cpuCollector, memoryCollector } from '../observe/collectors/functions.ts'
import { databaseCollector } from '../observe/outgoing/database-data.ts'
import { dumpCollector } from '../observe/collectors/dump.ts'
import { eventsCollector, type ListenerMoments } from '../observe/collectors/events.ts'
import { findingsCollector } from '../observe/collectors/findings.ts'
import { exceptionCollector } from '../observe/collectors/exception.ts'
import { httpClientCollector } from '../observe/outgoing/http-client-data.ts'
import { parseTraceparent } from '../observe/outgoing/trace-context.ts'
import { loggerCollector } from '../observe/collectors/logger.ts'
import { passedCollector } from '../observe/collectors/passed.ts'
import { requestCollector, routerCollector } from '../observe/collectors/request.ts'
import { sessionCollector } from '../observe/collectors/session.ts'
import { cutRanCode, ranCodeName } from '../observe/ran-code.ts'
import { SequentialWaits } from '../observe/outgoing/sequential-waits.ts'
import { timeCollector } from '../observe/collectors/time.ts'
import type { MaskTools } from '../observe/activities/activity.ts'

/** Makes profiles with a fixed list of built-in collectors. */
export interface Assembler {
  readonly names: readonly string[]
  readonly assemble: (record: RequestRecord) => Profile
}

/** What assembling needs: plain data that can be sent to another thread. */
export interface AssemblyOptions extends BuiltInOptions {
  readonly rules: RedactionRules
  /** Requests at least this long are slow, in milliseconds; `null`: none is. */
  readonly slowMs: number | null
}

/** What assembling needs in the thread where it runs. */
interface AssemblyTools {
  readonly redactor: Redactor
  /** Requests at least this long are slow, in milliseconds; `null`: none is. Default 500. */
  readonly slowMs?: number | null
}

export type LibraryCollectors = (tools: MaskTools) => readonly BuiltInCollector[]

/** Prepares `assembleProfile` with the built-in collectors. */
export function createAssembler(options: AssemblyOptions, libraries: LibraryCollectors): Assembler {
  const redactor = new Redactor(options.rules)
  return assemblerOf(createBuiltInCollectors(redactor, options, libraries), { redactor, slowMs: options.slowMs })
}

export function assemblerOf(collectors: readonly BuiltInCollector[], tools: AssemblyTools): Assembler {
  return {
    names: collectors.map(({ name }) => name),
    assemble: (record) => assembleProfile(record, collectors, tools),
  }
}

/** Asks the built-in collectors and adds what the application's own gathered. Shares nothing with the record. Never throws. */
export function assembleProfile(
  record: RequestRecord,
  collectors: readonly BuiltInCollector[],
  tools: AssemblyTools,
): Profile {
  const parts: (Part | MaskedPart)[] = []
  const notes: Note[] = [...record.own.notes]
  const contributions: Partial<ProfileSummary>[] = []
  const gathered: Record<string, unknown> = {}
  for (const collector of collectors) {
    try {
      const data = collector.collect(record, gathered)
      if (data === undefined) continue
      gathered[collector.name] = data
      const { name, cut } = collector
      const copy = maskedCopy(data, tools.redactor, maxProfileBytes)
      parts.push(copy.data === undefined ? partOf(name, data, cut) : { name, ...copy, cut })
      contributions.push(collector.summarize?.(data) ?? {}, { findings: foundIn(data).map(([name]) => name) })
    } catch (thrown) {
      notes.push(failureNote(collector.name, thrown, tools.redactor))
    }
  }
  for (const part of record.own.parts) {
    parts.push(part)
    contributions.push({ findings: foundIn(JSON.parse(part.json)).map(([name]) => name) })
  }
  const summary = summarize(record, contributions, tools)
  return toProfile(summary, { parts, notes: [...record.notes, ...notes] }, tools.redactor)
}

/**
 * A profile of a summary and its parts, held within the limit. `notes` come before those about parts. Every text is masked, whoever gave
 * it: a name of the application may hold what a client sent.
 */
export function toProfile(
  summary: ProfileSummary,
  { parts, notes }: { readonly parts: readonly (Part | MaskedPart)[]; readonly notes: readonly Note[] },
  redactor: Redactor,
): Profile {
  // Before it is measured: a mask may be longer than what it hides.
  const masked = parts.map((part) =>
    'data' in part ? part : { ...part, ...maskedCopy(JSON.parse(part.json), redactor) },
  )
  const plainNotes = notes.map(({ source, message }) => ({ source, message }))
  const said = maskedCopy(plainNotes, redactor).data as readonly Note[]
  const held =
    masked.reduce((sum, { most }) => sum + most, 0) <= maxProfileBytes
      ? { parts: masked, notes: said }
      : holdWithinBound({ parts: masked.map(({ name, data, cut }) => partOf(name, data, cut)), notes: said })
  const data = held.parts.map((part): [name: string, data: unknown] => [
    part.name,
    'data' in part ? part.data : JSON.parse(part.json),
  ])
  // Tokens, traces and hashes are our own, and the address is masked as one.
  const { token, parentToken, childTokens, url, replayOf, traceId, session } = summary
  const texts = maskedCopy(summary, redactor).data as ProfileSummary
  return {
    ...texts,
    token,
    parentToken,
    childTokens,
    url,
    replayOf,
    traceId,
    session,
    data: { ...Object.fromEntries(data), notes: held.notes },
  }
}

interface Masked {
  readonly data: unknown
  /** Bytes of its JSON at most. */
  readonly most: number
}

/** What a built-in collector gathered: most is never needed as JSON of its own. */
interface MaskedPart extends Omit<Part, 'json'>, Masked {}

/** A copy of data, as JSON would give it, with its texts masked; without `data` if it may take more than `maxBytes`. Throws as JSON does. */
function maskedCopy(given: unknown, redactor: Redactor, maxBytes = Infinity): Masked {
  const whole: { data?: unknown } = {}
  const from: object[] = [{ data: given }]
  const to: object[] = [whole]
  let most = 0
  for (let source = from.pop(), copy = to.pop(); source !== undefined; source = from.pop(), copy = to.pop()) {
    // Also for what holds itself.
    if (most > maxBytes) return { data: undefined, most }
    for (const key of Object.keys(source)) {
      const value = asJson((source as Record<string, unknown>)[key])
      if (value === undefined && !Array.isArray(source)) continue
      let kept = value ?? null
      if (typeof kept === 'string') kept = redactor.text(kept, kept.length)
      else if (kept !== null && typeof kept === 'object') {
        from.push(kept)
        to.push((kept = Array.isArray(kept) ? [] : {}))
      }
      // A character takes six bytes at most, and so does what is around a value; a number takes 25.
      most += 6 * (key.length + (typeof kept === 'string' ? kept.length : 4) + 1)
      if (key !== '__proto__') (copy as Record<string, unknown>)[key] = kept
      else Object.defineProperty(copy, key, { value: kept, writable: true, enumerable: true, configurable: true })
    }
  }
  return { data: whole.data, most }
}

/** The value, or what JSON makes of one that is not plain. */
function asJson(value: unknown): unknown {
  const isPlain =
    typeof value === 'object' && value !== null
      ? !('toJSON' in value) && plainPrototypes.has(Object.getPrototypeOf(value))
      : typeof value !== 'number' || Number.isFinite(value)
  if (isPlain && typeof value !== 'function' && typeof value !== 'symbol' && typeof value !== 'bigint') return value
  const json: string | undefined = JSON.stringify(value)
  return json === undefined ? undefined : JSON.parse(json)
}

const plainPrototypes: ReadonlySet<unknown> = new Set([Object.prototype, Array.prototype, null])

/** Facts of the application: plain data. */
interface BuiltInOptions extends Omit<MaskTools, 'redactor'> {
  readonly config: ConfigData
  /** The application's listeners, with the moments they listen to; `null` where another framework handles the requests. */
  readonly listeners: readonly ListenerMoments[] | null
}

function createBuiltInCollectors(
  redactor: Redactor,
  { config, listeners, projectRoot, capturesRecipients }: BuiltInOptions,
  libraries: LibraryCollectors,
): readonly BuiltInCollector[] {
  return [
    requestCollector(redactor),
    exceptionCollector,
    timeCollector(redactor, new SequentialWaits(projectRoot)),
    cpuCollector(projectRoot),
    memoryCollector(projectRoot),
    { name: ranCodeName, collect: ({ parts }) => parts.code, cut: cutRanCode },
    loggerCollector,
    eventsCollector(listeners),
    routerCollector(redactor),
    sessionCollector(redactor),
    httpClientCollector(redactor),
    databaseCollector(redactor),
    ...libraries({ redactor, projectRoot, capturesRecipients }),
    dumpCollector(projectRoot),
    configCollector(config),
    findingsCollector(redactor),
    { name: 'command', collect: ({ parts }) => parts.command },
    { name: 'job', collect: ({ parts }) => parts.job },
    { name: 'task', collect: ({ parts }) => parts.task },
    // Of what those above have.
    passedCollector(new SourceFiles(projectRoot)),
  ]
}

/** The summary of a request, with what its collectors contribute. */
function summarize(
  record: RequestRecord,
  contributions: readonly Partial<ProfileSummary>[],
  { redactor, slowMs = defaultSlowMs }: AssemblyTools,
): ProfileSummary {
  const { request, log, parts, durationMs } = record
  // A machine that is busy elsewhere makes no request slow.
  const { delayedMs = 0 } = parts.measurement ?? {}
  const context = new HttpRequest(request)
  const outcome = outcomeOf({
    status: record.response?.status,
    sent: record.sent,
    errorClass: parts.exception?.errors[0]?.className ?? null,
    records: log.records,
  })
  const contributed: Partial<ProfileSummary> = {}
  for (const one of contributions) Object.assign(contributed, one)
  return {
    token: record.token,
    ...noFacts,
    parentToken: record.parentToken,
    childTokens: record.childTokens,
    method: request.method,
    url: redactor.url(context.fullUrl),
    route: record.route?.name ?? null,
    status: outcome.status,
    ip: request.clientAddress,
    time: record.startedAt,
    durationMs,
    errorClass: outcome.errorClass,
    handler: record.handler,
    logErrorCount: outcome.logErrorCount,
    logCount: log.records.length + log.dropped,
    replayOf: parts.replayOf ?? null,
    tags: parts.tags ?? [],
    session: parts.client?.session?.hash ?? null,
    user: userName(parts.client?.user),
    traceId: parts.traceId ?? parseTraceparent(context.header('traceparent') ?? '')?.traceId ?? null,
    queryCount: 0,
    ...contributed,
    findings: merged([
      endFindings({ ...outcome, durationMs: mayBeSlow(record) ? durationMs - delayedMs : 0 }, slowMs),
      ...contributions.map(({ findings }) => findings),
    ]),
  }
}

/** Not the error page, which is ours, and no response that stays open. */
function mayBeSlow({ response, isSubRequest }: RequestRecord): boolean {
  return !isSubRequest && !(response !== null && isOpenEnded(new Reply(response.status, [...response.headers], null)))
}

/** How a request ended. A response that broke off before its first byte counts as none: status 0. */
function outcomeOf(ended: {
  readonly status: number | undefined
  readonly sent: RequestRecord['sent'] | undefined
  readonly errorClass: string | null
  readonly records: RequestRecord['log']['records']
}): Outcome {
  const { status = 0, sent, errorClass, records } = ended
  // What takes a connection over has written the head itself.
  const isLost = sent?.aborted === true && sent.bytes === 0 && status !== 101
  return {
    status: isLost ? 0 : status,
    errorClass,
    logErrorCount: records.filter(({ level }) => isErrorLevel(level)).length,
  }
}

/** The findings that need no collector. `slowMs` as in `AssemblyTools`. */
export function endFindings(
  ended: Outcome & { readonly durationMs: number },
  slowMs: number | null = defaultSlowMs,
): ProfileSummary['findings'] {
  const isSlow = slowMs !== null && ended.durationMs >= slowMs
  return [...(isErrorOutcome(ended) ? (['error'] as const) : []), ...(isSlow ? (['slow'] as const) : [])]
}

function merged(lists: readonly (ProfileSummary['findings'] | undefined)[]): ProfileSummary['findings'] {
  const found = new Set(lists.flatMap((list) => list ?? []))
  return findingNames.filter((name) => found.has(name))
}
