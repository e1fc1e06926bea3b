// Takes reports of pages: within bounds, for pages that this application served, in the background.

import type { Profile } from '../profile.ts'
import type { ProfileReader } from '../profile-store.ts'
import { browserProfiles, type BrowserProfileTools, type Reporter, type ServedPage } from './browser-profiles.ts'
import { readBrowserReport } from './browser-report.ts'

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
