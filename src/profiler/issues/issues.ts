// Errors over the versions of an application: which are open, which are gone, which came back. Read from stored profiles alone.

import { withoutLine } from '../../errors/error-family.ts'
import { browserMethod } from '../profile.ts'
import type { GroupPart, MissingParts, ProfileGroups, ProfileReader } from '../profile-store.ts'
import type { ProfileFilter } from '../query/filters.ts'
import { counted } from '../../framework/html/components.ts'
import { isoTime } from '../query/profile-facts.ts'

/**
 * `fixed`: a later version had requests of the same routes, and none of them failed so. `regressed`: that was so for a version, and
 * then it happened again. `open`: everything else.
 */
export type IssueState = 'regressed' | 'open' | 'fixed'

/** All of them, in the order in which issues are listed. */
export const issueStates: readonly IssueState[] = ['regressed', 'open', 'fixed']

/** Where an issue happened. */
type IssuePlace = Pick<GroupPart, 'route' | 'command' | 'runType' | 'isBrowser'>

/** Errors of one service and one origin, whatever their line. */
export interface Issue extends Pick<GroupPart, 'count' | 'firstTime' | 'lastTime' | 'lastToken' | 'lastMessage'> {
  /** `null`: not named. */
  readonly service: string | null
  /** The family of the errors without the line: `TypeError in src/prices.ts (PriceList.find): no price for "…"`. */
  readonly name: string
  readonly state: IssueState
  /** The families, one for each line, by which profiles are filtered. The newest first, at most 5. */
  readonly families: readonly string[]
  /** The most frequent first, at most 5. */
  readonly places: readonly IssuePlace[]
  /** The first and the last version that had it; `null`: not named. */
  readonly firstVersion: string | null
  readonly lastVersion: string | null
  /**
   * Of a fixed issue: the first version without it, and how many requests of the same routes, or views of their pages, went well from then on. Of a regressed
   * one: the last version without it, and its requests. `null` for an open one.
   */
  readonly without: { readonly version: string; readonly requests: number } | null
  /** When a request of the same routes last went well, if that was after the newest error; `null` for errors in browsers. */
  readonly lastWell: number | null
}

/** Issues, and what they were read from. */
export interface Issues {
  /** Regressed ones first, then open ones, then fixed ones; the newest first in each. At most 200. */
  readonly issues: readonly Issue[]
  /** How many were left out. */
  readonly omitted: number
  /** How many profiles were looked at. */
  readonly count: number
  /** Whether older profiles were not looked at: work is bounded by the newest 10,000. */
  readonly isCut: boolean
  /** Parts of the store that did not respond. Default: all responded. */
  readonly missing?: MissingParts
}

/** Which issues are asked for. */
export interface IssueRequest {
  /** Issues that have such a profile; only those are counted. The state is read from all profiles. Default: every profile. */
  readonly filter?: ProfileFilter
  /** Default: every state. */
  readonly state?: IssueState | undefined
}

const maxIssues = 200
const maxNamed = 5

/** Reads them. Rejects when the store fails. */
export async function readIssues(
  profiles: Pick<ProfileReader, 'group'>,
  { filter = {}, state }: IssueRequest = {},
): Promise<Issues> {
  const all = await readParts(profiles, {})
  const asked = Object.keys(filter).length > 0 ? await readParts(profiles, filter) : all
  const services = Map.groupBy(all.parts, ({ service }) => service)
  const found = [...Map.groupBy(asked.parts, ({ service }) => service)]
    .flatMap(([service, parts]) => issuesOf(service, services.get(service) ?? parts, parts))
    .filter((issue) => state === undefined || issue.state === state)
    .sort(
      (one, other) =>
        issueStates.indexOf(one.state) - issueStates.indexOf(other.state) || other.lastTime - one.lastTime,
    )
  const missing = asked.missing ?? all.missing
  return {
    issues: found.slice(0, maxIssues),
    omitted: Math.max(0, found.length - maxIssues),
    count: asked.parts.reduce((sum, { count }) => sum + count, 0),
    isCut: asked.isCut,
    ...(missing !== undefined && { missing }),
  }
}

/** Reports of browsers are sub-requests of their pages, so they are asked for by name. */
async function readParts(profiles: Pick<ProfileReader, 'group'>, filter: ProfileFilter): Promise<ReadParts> {
  const own = await profiles.group(filter, 'version', { withParts: true })
  if (filter.method !== undefined) return { ...own, parts: partsOf(own) }
  const reported = await profiles.group({ ...filter, method: browserMethod }, 'version', { withParts: true })
  const parts = [...partsOf(own).filter(({ isBrowser }) => !isBrowser), ...partsOf(reported)]
  const missing = own.missing ?? reported.missing
  return { parts, isCut: own.isCut || reported.isCut, ...(missing !== undefined && { missing }) }
}

interface ReadParts extends Pick<Issues, 'isCut' | 'missing'> {
  readonly parts: readonly VersionPart[]
}

/** `asked`: those that are counted. */
function issuesOf(
  service: string | null,
  all: readonly VersionPart[],
  asked: readonly VersionPart[],
): readonly Issue[] {
  const history = new History(service, all)
  return [...errorsByName(asked)].map(([key, errors]) => history.issue(key, errors))
}

/** A part, and the version that it is of. */
interface VersionPart extends GroupPart {
  readonly version: string | null
}

type ErrorPart = VersionPart & { readonly errorFamily: string }

/** What went well in one place in one version. */
interface Wells {
  readonly count: number
  readonly lastTime: number
}

/** All that the store has of each version of a service. */
class History {
  readonly #service: string | null
  /** The oldest first, by their first profile. */
  readonly #versions: readonly { readonly version: string; readonly firstTime: number }[]
  readonly #errors: ReadonlyMap<string, readonly ErrorPart[]>
  /** By place, then by version. */
  readonly #wells = new Map<string, Map<string | null, Wells>>()

  constructor(service: string | null, all: readonly VersionPart[]) {
    this.#service = service
    this.#versions = [...Map.groupBy(all, ({ version }) => version)]
      .flatMap(([version, parts]) =>
        version === null ? [] : [{ version, firstTime: Math.min(...parts.map(({ firstTime }) => firstTime)) }],
      )
      .sort((one, other) => one.firstTime - other.firstTime)
    this.#errors = errorsByName(all)
    for (const part of all) this.#note(part)
  }

  issue(key: string, asked: readonly ErrorPart[]): Issue {
    const errors = this.#errors.get(key) ?? asked
    const newestFirst = asked.toSorted((one, other) => other.lastTime - one.lastTime)
    const [newest] = newestFirst
    const lastTime = newest?.lastTime ?? 0
    const orders = errors.map((part) => this.#orderOf(part))
    const wells = this.#wellsOf(errors)
    const lastWell = Math.max(...[...wells.values()].map((one) => one.lastTime))
    return {
      service: this.#service,
      name: withoutLine(newest?.errorFamily ?? ''),
      ...this.#stateOf(orders, wells),
      count: asked.reduce((sum, { count }) => sum + count, 0),
      firstTime: Math.min(...asked.map(({ firstTime }) => firstTime)),
      lastTime,
      lastToken: newest?.lastToken ?? '',
      lastMessage: newest?.lastMessage ?? null,
      families: [...new Set(newestFirst.map(({ errorFamily }) => errorFamily))].slice(0, maxNamed),
      places: placesOf(asked).slice(0, maxNamed),
      firstVersion: this.#versions[Math.min(...orders)]?.version ?? null,
      lastVersion: this.#versions[Math.max(...orders)]?.version ?? null,
      // The view of a page is reported beside its errors, and often after them.
      lastWell: lastWell > lastTime && !asked.some(({ isBrowser }) => isBrowser) ? lastWell : null,
    }
  }

  /** `orders`: of the versions with the error. */
  #stateOf(orders: readonly number[], wells: ReadonlyMap<string | null, Wells>): Pick<Issue, 'state' | 'without'> {
    const [first, last] = [Math.min(...orders), Math.max(...orders)]
    const clean = this.#versions.flatMap(({ version }, order) => {
      const requests = orders.includes(order) ? 0 : (wells.get(version)?.count ?? 0)
      return requests === 0 || order < first ? [] : [{ version, order, requests }]
    })
    const since = clean.filter(({ order }) => order > last)
    const [fixedIn] = since
    if (fixedIn !== undefined) {
      const requests = since.reduce((sum, one) => sum + one.requests, 0)
      return { state: 'fixed', without: { version: fixedIn.version, requests } }
    }
    const between = clean.at(-1)
    if (between === undefined) return { state: 'open', without: null }
    return { state: 'regressed', without: { version: between.version, requests: between.requests } }
  }

  /** Place of its version in the order. A part without one counts to the newest version that was seen before it. */
  #orderOf({ version, lastTime }: VersionPart): number {
    return version === null
      ? this.#versions.findLastIndex(({ firstTime }) => firstTime <= lastTime)
      : this.#versions.findIndex((one) => one.version === version)
  }

  /** By version: what went well in the places of these errors. */
  #wellsOf(errors: readonly ErrorPart[]): ReadonlyMap<string | null, Wells> {
    const sums = new Map<string | null, Wells>()
    for (const place of new Set(errors.map(placeKey))) {
      for (const [version, wells] of this.#wells.get(place) ?? []) addWells(sums, version, wells)
    }
    return sums
  }

  /** A request that failed with another error does not count: it may have failed before that point. */
  #note(part: VersionPart): void {
    if (part.isError) return
    const key = placeKey(part)
    const versions = this.#wells.get(key) ?? new Map<string | null, Wells>()
    this.#wells.set(key, versions)
    addWells(versions, part.version, part)
  }
}

function addWells(sums: Map<string | null, Wells>, version: string | null, { count, lastTime }: Wells): void {
  const sum = sums.get(version) ?? { count: 0, lastTime }
  sums.set(version, { count: sum.count + count, lastTime: Math.max(sum.lastTime, lastTime) })
}

function partsOf({ groups }: ProfileGroups): readonly VersionPart[] {
  return groups.flatMap(({ key: version, parts = [] }) => parts.map((part) => ({ ...part, version })))
}

/** Errors that are nobody's fault, such as 404, make no issue. */
function errorsByName(parts: readonly VersionPart[]): ReadonlyMap<string, readonly ErrorPart[]> {
  const errors = parts.filter((part): part is ErrorPart => part.errorFamily !== null && part.isError)
  return Map.groupBy(errors, ({ errorFamily, isBrowser }) => `${isBrowser} ${withoutLine(errorFamily)}`)
}

function placeKey({ route, command, runType, isBrowser }: IssuePlace): string {
  return JSON.stringify([route, command, runType, isBrowser])
}

function placesOf(errors: readonly ErrorPart[]): readonly IssuePlace[] {
  const places = [...Map.groupBy(errors, placeKey).values()].flatMap((parts) => {
    const [first] = parts
    return first === undefined ? [] : [{ first, count: parts.reduce((sum, { count }) => sum + count, 0) }]
  })
  return places
    .sort((one, other) => other.count - one.count)
    .map(({ first: { route, command, runType, isBrowser } }) =>
      runType === undefined ? { route, command, isBrowser } : { route, command, runType, isBrowser },
    )
}

/** Why an issue has its state: `Not seen since 2.1.0, in 14 requests that went well.`; `null` if there is nothing to say. */
export function stateReason({ state, without, lastWell, places }: Issue): string | null {
  if (without !== null) {
    const what = isOfBrowsers(places)
      ? 'page view'
      : places.every(({ command }) => command !== null)
        ? 'run'
        : 'request'
    const number = counted(without.requests, what)
    return state === 'fixed'
      ? `Not seen since ${without.version}, in ${number} that went well.`
      : `Seen again after ${without.version}, in which ${number} went well.`
  }
  return lastWell === null ? null : `It went well after that, last at ${isoTime(lastWell)}.`
}

/** Whether all of them happened in browsers: their profiles are listed by the method of such reports. */
export function isOfBrowsers(places: readonly IssuePlace[]): boolean {
  return places.every(({ isBrowser }) => isBrowser)
}

/** `route order_list`, `command import-prices`, `job mail/welcome`, `no route`, `route home, in a browser`. */
export function placeText({ route, command, runType, isBrowser }: IssuePlace): string {
  if (command !== null) return `${runType ?? 'command'} ${command}`
  return `${route === null ? 'no route' : `route ${route}`}${isBrowser ? ', in a browser' : ''}`
}

/** What was looked at: `3 issues in all 120 profiles.` */
export function issuesScope({ issues, omitted, count, isCut }: Issues): string {
  const hidden = omitted === 0 ? '' : `, the first ${issues.length} of which are shown`
  const looked = `${isCut ? 'the newest' : 'all'} ${counted(count, 'profile')}`
  return `${counted(issues.length + omitted, 'issue')} in ${looked}${isCut ? ' (older ones were not looked at)' : ''}${hidden}.`
}
