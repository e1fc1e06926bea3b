// The errors of an application: which are open, resolved or ignored, and which came back. Read from stored profiles, and from what people
// say of them.

import { createHash } from 'node:crypto'
import { withoutLine } from '../../errors/error-family.ts'
import { browserMethod } from '../../observe/profile.ts'
import type { GroupPart, ProfileGroups, ProfileReader } from '../profile-store.ts'
import type { ProfileFilter } from '../query/filters.ts'
import { counted, formatClock } from '../../base/html/components.ts'
import { stripOf, type TimeRange } from '../query/group-profiles.ts'
import { errorStates, type ErrorMark, type ErrorMarks, type ErrorState } from '../set-by-people.ts'
import { namesOf } from '../../base/members.ts'

type ErrorPlace = Pick<GroupPart, 'route' | 'command' | 'runType' | 'isBrowser'>

/** Errors of one service and one origin, whatever their line. */
export interface KnownError extends Pick<GroupPart, 'count' | 'firstTime' | 'lastTime' | 'lastToken' | 'lastMessage'> {
  /** Of its page: 12 hex digits, the same as long as service and name are. */
  readonly id: string
  /** `null`: not named. */
  readonly service: string | null
  /** The family of the errors without the line: `TypeError in src/prices.ts (PriceList.find): no price for "…"`. */
  readonly name: string
  /**
   * As it was set by hand; an error that is seen after it was resolved is open again. Otherwise `resolved` if a later version had requests of
   * the same routes, and none of them failed so.
   */
  readonly state: ErrorState
  /** Whether it was resolved, and then happened again. */
  readonly isBack: boolean
  /** States that were set by hand, the newest first. */
  readonly marks: readonly ErrorMark[]
  /** How many happened in each of 24 equal parts of the time from the first to the last profile that was looked at. */
  readonly strip: readonly number[]
  /** The families, one for each line, by which profiles are filtered. The newest first, at most 5. */
  readonly families: readonly string[]
  /** The most frequent first, at most 5. */
  readonly places: readonly ErrorPlace[]
  /** The first and the last version that had it; `null`: not named. */
  readonly firstVersion: string | null
  readonly lastVersion: string | null
  /**
   * Of one that a version resolved: the first version without it, and how many requests of the same routes, or views of their pages, went well from then on. Of
   * one that came back: the last version without it, and its requests. `null` for others.
   */
  readonly without: { readonly version: string; readonly requests: number } | null
  /** When a request of the same routes last went well, if that was after the newest error; `null` for errors in browsers. */
  readonly lastWell: number | null
}

export interface KnownErrors extends Omit<ProfileGroups, 'by' | 'groups'> {
  /** In the order that was asked for. At most 200. */
  readonly errors: readonly KnownError[]
}

/** What errors are ordered by: open ones that came back first, the most frequent, or the newest. */
export type ErrorOrder = 'state' | 'count' | 'first' | 'last'

const orders: Readonly<Record<ErrorOrder, (error: KnownError) => number>> = {
  state: ({ state, isBack }) => (isBack ? -1 : errorStates.indexOf(state)),
  count: ({ count }) => -count,
  first: ({ firstTime }) => -firstTime,
  last: ({ lastTime }) => -lastTime,
}

export const errorOrders: readonly ErrorOrder[] = namesOf(orders)

export interface ErrorsRequest {
  /** Errors that have such a profile; only those are counted. The state is read from all profiles. Default: every profile. */
  readonly filter?: ProfileFilter
  /** Default: every state. */
  readonly state?: ErrorState | undefined
  /** Only this one. Default: all. */
  readonly id?: string | null
  /** Default: by state. Of equal ones the newest first. */
  readonly sort?: ErrorOrder
  /** What people say of them. Default: nothing. */
  readonly marks?: ErrorMarks | undefined
}

const maxErrors = 200
const maxNamed = 5

/** Reads them. Rejects when the store fails. */
export async function readErrors(
  profiles: Pick<ProfileReader, 'group'>,
  { filter = {}, state, id = null, sort = 'state', marks = new Map() }: ErrorsRequest = {},
): Promise<KnownErrors> {
  const all = await readParts(profiles, {})
  const asked = Object.keys(filter).length > 0 ? await readParts(profiles, filter) : all
  // Errors that are nobody's fault, such as 404, count where a status is asked for.
  const isError = ({ isError: isFault }: VersionPart): boolean => isFault || filter.status !== undefined
  const range = {
    from: asked.parts.reduce((from, { firstTime }) => Math.min(from, firstTime), Infinity),
    to: asked.parts.reduce((to, { lastTime }) => Math.max(to, lastTime), -Infinity),
  }
  const services = Map.groupBy(all.parts, ({ service }) => service)
  const found = [...Map.groupBy(asked.parts, ({ service }) => service)]
    .flatMap(([service, parts]) => {
      const history = new History(service, services.get(service) ?? parts, isError)
      return [...errorsByName(parts, isError)].map(([key, errors]) => history.error(key, errors, { range, marks }))
    })
    .filter((error) => (id === null || error.id === id) && (state === undefined || error.state === state))
    .sort((one, other) => orders[sort](one) - orders[sort](other) || other.lastTime - one.lastTime)
  const missing = asked.missing ?? all.missing
  return {
    errors: found.slice(0, maxErrors),
    omitted: Math.max(0, found.length - maxErrors),
    count: asked.parts.reduce((sum, { count }) => sum + count, 0),
    isCut: asked.isCut,
    ...(missing !== undefined && { missing }),
  }
}

/** Of an error, by its service and its family. */
export function errorId(service: string | null, family: string, isBrowser: boolean): string {
  const name = JSON.stringify([service, isBrowser, withoutLine(family)])
  return createHash('sha256').update(name).digest('hex').slice(0, 12)
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

interface ReadParts extends Pick<KnownErrors, 'isCut' | 'missing'> {
  readonly parts: readonly VersionPart[]
}

interface VersionPart extends GroupPart {
  readonly version: string | null
}

type ErrorPart = VersionPart & { readonly errorFamily: string }

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
  /** What went well, by place. A request that failed with another error does not count: it may have failed before that point. */
  readonly #wells: ReadonlyMap<string, readonly VersionPart[]>

  constructor(service: string | null, all: readonly VersionPart[], isError: (part: VersionPart) => boolean) {
    this.#service = service
    this.#versions = [...Map.groupBy(all, ({ version }) => version)]
      .flatMap(([version, parts]) =>
        version === null ? [] : [{ version, firstTime: Math.min(...parts.map(({ firstTime }) => firstTime)) }],
      )
      .sort((one, other) => one.firstTime - other.firstTime)
    this.#errors = errorsByName(all, isError)
    this.#wells = Map.groupBy(
      all.filter((part) => !part.isError),
      placeKey,
    )
  }

  /** `asked`: those that are counted. */
  error(
    key: string,
    asked: readonly ErrorPart[],
    { range, marks: allMarks }: { readonly range: TimeRange; readonly marks: ErrorMarks },
  ): KnownError {
    const errors = this.#errors.get(key) ?? asked
    const newestFirst = asked.toSorted((one, other) => other.lastTime - one.lastTime)
    const [newest] = newestFirst
    const lastTime = newest?.lastTime ?? 0
    const orders = errors.map((part) => this.#orderOf(part))
    const wells = this.#wellsOf(errors)
    const lastWell = Math.max(...[...wells.values()].map((one) => one.lastTime))
    const isBrowser = newest?.isBrowser === true
    const id = errorId(this.#service, newest?.errorFamily ?? '', isBrowser)
    const marks = allMarks.get(id) ?? []
    return {
      id,
      service: this.#service,
      name: withoutLine(newest?.errorFamily ?? ''),
      ...this.#stateOf(orders, wells, marks[0], Math.max(...errors.map((one) => one.lastTime))),
      marks,
      strip: stripOf(
        asked.flatMap(({ times }) => times),
        range,
      ),
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

  /** `orders`: of the versions with the error; `lastTime`: when it happened last, whatever is asked for. */
  #stateOf(
    orders: readonly number[],
    wells: ReadonlyMap<string | null, Wells>,
    mark: ErrorMark | undefined,
    lastTime: number,
  ): Pick<KnownError, 'state' | 'isBack' | 'without'> {
    const [first, last] = [Math.min(...orders), Math.max(...orders)]
    if (mark?.state === 'ignored') return { state: 'ignored', isBack: false, without: null }
    if (mark?.state === 'resolved' && lastTime <= mark.time) return { state: 'resolved', isBack: false, without: null }
    const clean = this.#versions.flatMap(({ version, firstTime }, order) => {
      const requests = orders.includes(order) ? 0 : (wells.get(version)?.count ?? 0)
      return requests === 0 || order < first ? [] : [{ version, order, requests, firstTime }]
    })
    // What was set open by hand is resolved by later versions only.
    const since = clean.filter(({ order, firstTime }) => order > last && firstTime > (mark?.time ?? 0))
    const [fixedIn] = since
    if (fixedIn !== undefined) {
      const requests = since.reduce((sum, one) => sum + one.requests, 0)
      return { state: 'resolved', isBack: false, without: { version: fixedIn.version, requests } }
    }
    const between = clean.findLast(({ order }) => order < last)
    if (mark?.state === 'resolved' || between === undefined)
      return { state: 'open', isBack: mark?.state === 'resolved', without: null }
    return { state: 'open', isBack: true, without: { version: between.version, requests: between.requests } }
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
    const places = new Set(errors.map(placeKey))
    for (const { version, count, lastTime } of [...places].flatMap((place) => this.#wells.get(place) ?? [])) {
      const sum = sums.get(version) ?? { count: 0, lastTime }
      sums.set(version, { count: sum.count + count, lastTime: Math.max(sum.lastTime, lastTime) })
    }
    return sums
  }
}

function partsOf({ groups }: ProfileGroups): readonly VersionPart[] {
  return groups.flatMap(({ key: version, parts = [] }) => parts.map((part) => ({ ...part, version })))
}

function errorsByName(
  parts: readonly VersionPart[],
  isError: (part: VersionPart) => boolean,
): ReadonlyMap<string, readonly ErrorPart[]> {
  const errors = parts.filter((part): part is ErrorPart => part.errorFamily !== null && isError(part))
  return Map.groupBy(errors, ({ errorFamily, isBrowser }) => `${isBrowser} ${withoutLine(errorFamily)}`)
}

function placeKey({ route, command, runType, isBrowser }: ErrorPlace): string {
  return JSON.stringify([route, command, runType, isBrowser])
}

function placesOf(errors: readonly ErrorPart[]): readonly ErrorPlace[] {
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

/** Why it has its state: `Not seen since 2.1.0, in 14 requests that went well.`; `null` if there is nothing to say. */
export function stateReason({ state, isBack, marks: [mark], without, lastWell, places }: KnownError): string | null {
  if (without !== null) {
    const what = isOfBrowsers(places)
      ? 'page view'
      : places.every(({ command }) => command !== null)
        ? 'run'
        : 'request'
    const number = counted(without.requests, what)
    return isBack
      ? `Seen again after ${without.version}, in which ${number} went well.`
      : `Not seen since ${without.version}, in ${number} that went well.`
  }
  if (mark !== undefined && (isBack || state === mark.state)) {
    const did = `${isBack ? 'Seen again: it was resolved' : `Set to ${state}`} by ${mark.by} at ${formatClock(mark.time)} UTC`
    return mark.comment === '' ? `${did}.` : `${did}: ${mark.comment}`
  }
  return lastWell === null ? null : `It went well after that, last at ${formatClock(lastWell)} UTC.`
}

/** Whether all of them happened in browsers: their profiles are listed by the method of such reports. */
export function isOfBrowsers(places: readonly ErrorPlace[]): boolean {
  return places.every(({ isBrowser }) => isBrowser)
}

/** `route order_list`, `command import-prices`, `job mail/welcome`, `no route`, `route home, in a browser`. */
export function placeText({ route, command, runType, isBrowser }: ErrorPlace): string {
  if (command !== null) return `${runType ?? 'command'} ${command}`
  return `${route === null ? 'no route' : `route ${route}`}${isBrowser ? ', in a browser' : ''}`
}

/** What was looked at: `3 errors in 120 profiles.` */
export function errorsScope({ errors, omitted, count, isCut }: KnownErrors): string {
  const hidden = omitted === 0 ? '' : `, the first ${errors.length} of which are shown`
  const looked = `${isCut ? 'the newest ' : ''}${counted(count, 'profile')}`
  return `${counted(errors.length + omitted, 'error')} in ${looked}${isCut ? ' (older ones were not looked at)' : ''}${hidden}.`
}
