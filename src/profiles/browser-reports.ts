// Takes reports of pages: within bounds, for pages that this application served, in the background.

import type { ExplainError } from '../errors/error-handler.ts'
import { maskChain } from '../errors/error-view.ts'
import { flattenError, type FrameBounds, type FrameReader } from '../errors/flatten-error.ts'
import { StackFrames, parseStackLine, stackCalls } from '../errors/stack-frames.ts'
import type { ExplainedChain } from '../errors/value-origin.ts'
import type { Redactor } from '../base/redact/redactor.ts'
import { toProfile } from './assemble-profile.ts'
import { exceptionCollector } from '../observe/collectors/exception.ts'
import { type Part, partOf } from '../observe/profile-parts.ts'
import type { ProfileReader } from './profile-store.ts'
import { type Profile, type ProfileSummary, browserMethod, noFacts } from '../observe/profile.ts'
import {
  type BrowserReport,
  type ReportedError,
  type ReportedNavigation,
  readBrowserReport,
} from '../observe/browser/browser-data.ts'
import type { BrowserData, BrowserView, NavigationFacts, NavigationStep } from '../observe/browser/browser-data.ts'
import { readdirSync } from 'node:fs'
import type { Frame } from '../errors/flattened-error.ts'
import type { SourceFile, SourceFiles } from '../errors/source-files.ts'

interface BrowserReportsOptions extends BrowserProfileTools {
  readonly profiles: Pick<ProfileReader, 'read'>
  readonly keep: (profile: Profile) => void
}

/** What became of a report; `problem` says why it was not kept. */
interface TakenReport {
  readonly status: 204 | 400 | 404 | 429
  readonly problem?: string
}

/** Profiles that the reports of one page may make, and those of all pages in a minute. */
const maxProfilesOfPage = 60
const maxProfilesPerMinute = 300
/** Pages whose reports are counted at a time. */
const maxPages = 500

export class BrowserReports {
  readonly #options: BrowserReportsOptions
  /** By token, those that reported first are forgotten first. */
  readonly #pages = new Map<string, { readonly page: ServedPage; profiles: number }>()
  #minute = 0
  #profilesOfMinute = 0
  #refused = 0

  constructor(options: BrowserReportsOptions) {
    this.#options = options
  }

  /** What the status page says of reports that were beyond the bounds since the start. */
  get notes(): readonly string[] {
    return this.#refused === 0
      ? []
      : [`Reports of pages that were not kept, because there were too many: ${this.#refused}.`]
  }

  /** `token`: of the request that served the page; `null` if another server did. */
  async take(token: string | null, text: string, reporter: Reporter): Promise<TakenReport> {
    const read = readBrowserReport(text)
    if ('problem' in read) return { status: 400, problem: read.problem }
    const { report } = read
    const known = token === null ? null : await this.#pageOf(token)
    if (known === undefined) return { status: 404, problem: `There is no profile ${token}.` }
    const count = report.errors.length + (report.facts === undefined ? 0 : 1)
    if (!this.#admits(count, known)) {
      this.#refused += 1
      const problem = `Beyond ${maxProfilesOfPage} errors and states of a page, or ${maxProfilesPerMinute} in a minute, nothing is kept.`
      return { status: 429, problem }
    }
    const { keep } = this.#options
    const profiles = browserProfiles(report, known?.page ?? null, reporter, this.#options)
    for (const profile of profiles) keep(profile)
    return { status: 204 }
  }

  async #pageOf(token: string): Promise<{ readonly page: ServedPage; profiles: number } | undefined> {
    const known = this.#pages.get(token)
    if (known !== undefined) return known
    const page = await this.#options.profiles.read(token)
    if (page === undefined) return undefined
    const [oldest] = this.#pages.keys()
    if (this.#pages.size >= maxPages && oldest !== undefined) this.#pages.delete(oldest)
    const { route, traceId, version, service } = page
    const entry = this.#pages.get(token) ?? { page: { token, route, traceId, version, service }, profiles: 0 }
    this.#pages.set(token, entry)
    return entry
  }

  #admits(count: number, known: { profiles: number } | null): boolean {
    const minute = Math.floor(performance.now() / 60_000)
    if (minute !== this.#minute) {
      this.#minute = minute
      this.#profilesOfMinute = 0
    }
    if ((known?.profiles ?? 0) + count > maxProfilesOfPage) return false
    if (this.#profilesOfMinute + count > maxProfilesPerMinute) return false
    this.#profilesOfMinute += count
    if (known !== null) known.profiles += count
    return true
  }
}

interface Reporter {
  readonly ip: string
  readonly userAgent: string
  /** `127.0.0.1:8000`, of the page and of its scripts. */
  readonly host: string
}

/** What the profiles of a report share with the request that served the page. */
type ServedPage = Pick<ProfileSummary, 'token' | 'route' | 'traceId' | 'version' | 'service'>

interface BrowserProfileTools {
  readonly redactor: Redactor
  /** Absolute. */
  readonly projectRoot: string
  readonly explain: ExplainError
  readonly createToken: () => string
  /** Of the application; for pages that it did not serve. */
  readonly version: string | null
  readonly service: string | null
}

/** Everything is masked. `page`: the request that served it; `null` if another server did. */
function browserProfiles(
  report: BrowserReport,
  page: ServedPage | null,
  reporter: Reporter,
  tools: BrowserProfileTools,
): readonly Profile[] {
  const { redactor, projectRoot, createToken } = tools
  const shared = {
    ...noFacts,
    parentToken: page?.token ?? null,
    childTokens: [],
    method: browserMethod,
    route: page?.route ?? null,
    ip: reporter.ip,
    time: Date.now(),
    durationMs: 0,
    handler: 'browser',
    logErrorCount: 0,
    logCount: 0,
    traceId: page?.traceId ?? null,
    version: page === null ? tools.version : page.version,
    service: page === null ? tools.service : page.service,
    tags: [],
  }
  // Files for browsers change while the process runs, so nothing is remembered.
  const files = { maskText: (text: string) => redactor.text(text), maxBytes: 8 * 1024 * 1024, startedAt: Infinity }
  const frames =
    report.errors.length === 0 ? null : new BrowserFrames(new StackFrames(projectRoot, files), reporter.host)
  const errors = report.errors.map((error) => {
    const chain = maskChain(flattenError(thrownOf(error), { redactor, frames }), redactor)
    const explained: ExplainedChain = { ...chain, ...tools.explain(chain, undefined) }
    const said = exceptionCollector.summarize?.(explained)
    const className = chain.errors[0]?.className ?? 'Error'
    const message = said?.errorMessage ?? ''
    const place = chain.errors.flatMap((one) => one.frames.find(({ origin }) => origin === 'own') ?? [])[0]
    const token = createToken()
    const url = redactor.url(error.url)
    const { view } = report
    const { number, kind, count } = error
    const kept = { token, view, number, kind, className, message, url, time: shared.time, count }
    const data: BrowserData = {
      errors: [{ ...kept, place: place === undefined ? null : `${place.file}:${place.line}` }],
      views: [],
    }
    const summary = { ...shared, token, url, status: 500, errorClass: className, findings: ['error'] as const }
    const parts: readonly Part[] = [partOf('browser', data), partOf('exception', explained, exceptionCollector.cut)]
    const told = { ...summary, errorFamily: said?.errorFamily ?? null, errorMessage: message }
    return toProfile(told, { parts, notes: [] }, redactor)
  })
  const view = viewOf(report, reporter, shared.time, redactor)
  if (view === null) return errors
  const summary = { ...shared, findings: [], token: createToken(), url: view.url, status: 200 }
  const parts = [partOf('browser', { errors: [], views: [view] } satisfies BrowserData)]
  return [...errors, toProfile(summary, { parts, notes: [] }, redactor)]
}

/** An error that reads like the one of the page. */
function thrownOf({ chain, place }: ReportedError): unknown {
  let cause: Error | undefined
  for (const { name, message, stack } of chain.toReversed()) {
    const error = new Error(message, cause === undefined ? undefined : { cause })
    Object.defineProperty(error, 'name', { value: name })
    Object.defineProperty(error, 'stack', { value: stack })
    cause = error
  }
  // What has no stack was thrown where the event says.
  if (cause !== undefined && place !== '' && !/:\d+:\d+/.test(cause.stack ?? '')) {
    Object.defineProperty(cause, 'stack', { value: `    at ${place}` })
  }
  return cause
}

function viewOf(
  { view, url, facts }: BrowserReport,
  { userAgent }: Reporter,
  time: number,
  redactor: Redactor,
): BrowserView | null {
  if (facts === undefined) return null
  const { navigation, vitals, counts, dropped } = facts
  // A page that was made ahead counts from the moment it is shown.
  const shownMs = navigation?.activationStart ?? 0
  const since = (ms: number | null | undefined): number | null =>
    ms == null ? null : rounded(Math.max(0, ms - shownMs))
  const { responseStart } = navigation ?? {}
  return {
    view,
    url: redactor.url(url),
    time,
    userAgent: redactor.text(userAgent, 300),
    vitals: { ...vitals, ttfbMs: since(responseStart || null), fcpMs: since(vitals.fcpMs), lcpMs: since(vitals.lcpMs) },
    navigation: navigation === undefined ? null : navigationFacts(navigation),
    counts,
    dropped,
  }
}

function navigationFacts(navigation: ReportedNavigation): NavigationFacts {
  const step = (name: string, startMs: number | null, endMs: number | null): readonly NavigationStep[] =>
    startMs === null || endMs === null || endMs <= startMs
      ? []
      : [{ name, startMs: rounded(startMs), endMs: rounded(endMs) }]
  const steps = [
    ...step('name look-up', navigation.domainLookupStart, navigation.domainLookupEnd),
    ...step('connection', navigation.connectStart, navigation.connectEnd),
    ...step('waiting for the response', navigation.requestStart, navigation.responseStart),
    ...step('download', navigation.responseStart, navigation.responseEnd),
    ...step('reading the document', navigation.responseEnd, navigation.domInteractive),
    ...step('deferred scripts', navigation.domInteractive, navigation.domContentLoadedEventEnd),
    ...step('images and other files', navigation.domContentLoadedEventEnd, navigation.loadEventEnd),
  ]
  const { type, redirectCount, transferSize } = navigation
  return { type, redirectCount, transferSize, steps }
}

/** Browsers give no more than tenths. */
function rounded(ms: number): number {
  return Math.round(ms * 10) / 10
}

/** Folders that are searched, and how deep they may be. */
const maxFolders = 300
const maxDepth = 3
/** Parts of an address that may be missing in the project: `/static/` for files of `public/`. */
const maxPrefix = 2
/** What folders with files for browsers are called. Only there may the beginning of an address be missing. */
const publicNames: ReadonlySet<string> = new Set(
  'public static dist build assets www web htdocs client out browser'.split(' '),
)

/** Reads stacks of browsers: V8's, and `name@address:line:column` of Firefox and Safari. */
export class BrowserFrames implements FrameReader {
  readonly #frames: StackFrames
  readonly #host: string
  readonly #folders: readonly string[]

  /** `host`: that of the page, with its port. Addresses of other hosts are not files of the project. */
  constructor(frames: StackFrames, host: string) {
    this.#frames = frames
    this.#host = host
    this.#folders = foldersOf(frames.files.root)
  }

  /** As `StackFrames.read`, which finds the lines of the source by source maps. Never throws. */
  read(stack: string, message: string, bounds: FrameBounds): readonly Frame[] {
    const lines = stackCalls(stack, { maxFrames: bounds.maxFrames, message }).map((line) => this.#placed(line))
    return this.#frames.read((lines.length > 0 ? lines : this.#others(stack)).join('\n'), '', bounds)
  }

  #placed(text: string): string {
    const line = parseStackLine(text)
    return line === null ? text : this.#call(line.functionName, line.location, line.line, line.column, line.isAsync)
  }

  #others(stack: string): readonly string[] {
    return stack.split('\n').flatMap((text) => {
      const [, name = '', location = '', line, column] =
        /^\s*([^@\n]{0,200})@?(https?:[^\s]{1,2000}?):(\d{1,9}):(\d{1,9})$/.exec(text) ?? []
      return line === undefined
        ? []
        : [this.#call(name.replace(/[^\w$.]+.*$/, ''), location, Number(line), Number(column), false)]
    })
  }

  #call(name: string | null, location: string, line: number, column: number, isAsync: boolean): string {
    const where = `${this.#fileOf(location, line, column) ?? location}:${line}:${column}`
    return `    at ${isAsync ? 'async ' : ''}${name === null || name === '' ? where : `${name} (${where})`}`
  }

  /** Absolute path of the file; `null` if the address leads to none, or the file has no such place. */
  #fileOf(location: string, line: number, column: number): string | null {
    const names = namesOf(location, this.#host)
    if (names === null) return null
    const { files } = this.#frames
    for (let skipped = 0; skipped <= Math.min(maxPrefix, names.length - 1); skipped += 1) {
      const found = this.#folders
        .filter((folder) => skipped === 0 || isPublic(folder))
        .map((folder) => [...(folder === '' ? [] : [folder]), ...names.slice(skipped)].join('/'))
        .find((path) => hasPlace(files, path, line, column))
      if (found !== undefined) return `${files.root}/${found}`
    }
    return null
  }
}

/** Names of the path; `null` for other hosts, and for paths that cannot be files. */
function namesOf(location: string, host: string): readonly string[] | null {
  const url = URL.parse(location)
  if (url === null || url.host !== host || url.pathname.endsWith('/')) return null
  try {
    const names = url.pathname.slice(1).split('/').map(decodeURIComponent)
    return names.every((name) => /^[^./\\\0][^/\\\0]*$/.test(name)) ? names : null
  } catch {
    return null
  }
}

function hasPlace(files: SourceFiles, path: string, line: number, column: number): boolean {
  const file: SourceFile | null = files.read(path)
  return (file?.lines[line - 1]?.length ?? -1) >= column - 1
}

function isPublic(folder: string): boolean {
  return folder.split('/').some((name) => publicNames.has(name))
}

/** Relative to the root, those for browsers first, then the shallow ones; the root is `''`. */
function foldersOf(root: string): readonly string[] {
  const folders: string[] = ['']
  for (const folder of folders) {
    if (folders.length >= maxFolders || folder.split('/').length > maxDepth) break
    for (const name of namesIn(`${root}/${folder}`)) folders.push(folder === '' ? name : `${folder}/${name}`)
  }
  return folders.slice(0, maxFolders).toSorted((one, other) => Number(isPublic(other)) - Number(isPublic(one)))
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'node_modules')
      .map(({ name }) => name)
  } catch {
    return []
  }
}
