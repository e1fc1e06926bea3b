// The errors: how often, first and last, open, resolved or ignored; and one of them with its requests, its places and its history.

import { formatClock, formatCount, formatDuration, type Tone } from '../../base/html/components.ts'
import { cutText } from '../../base/redact/cut-text.ts'
import { withoutValues } from '../../errors/error-family.ts'
import { maxHints } from '../../errors/hints/index.ts'
import type { SourceToken } from '../../errors/flattened-error.ts'
import { framePlace, lineText, variableLines } from '../../errors/trace-lines.ts'
import { failedLine } from '../../errors/value-origin.ts'
import {
  detail,
  empty,
  facts,
  heading,
  idOf,
  note,
  offPage,
  recorded,
  text,
  wideTable,
} from '../../observe/blocks/blocks.ts'
import type { Block, Blocks, Head, Inline, Line, PageLink, Table } from '../../observe/blocks/blocks.ts'
import { errorStates } from '../../profiles/set-by-people.ts'
import {
  errorOrders,
  errorsScope,
  isOfBrowsers,
  placeText,
  readErrors,
  stateReason,
  type ErrorOrder,
  type KnownError,
  type KnownErrors,
} from '../../profiles/known-errors/known-errors.ts'
import { browserMethod, type Profile, type ProfileSummary } from '../../observe/profile.ts'
import type { ProfileFilter } from '../../profiles/query/filters.ts'
import { noneReachable } from '../../profiles/profile-store.ts'
import { profileTone, pathLine, statusMark } from '../../profiles/profile-facts.ts'
import { dataOf, type StoredParts } from '../../profiles/stored-data.ts'
import { sourceFrame } from '../parts.ts'
import { isNarrowing, oneOf, parameter, question, QuestionError, type Question } from '../../pages/question.ts'
import type { QuestionSources } from '../../pages/question.ts'

export interface FoundErrors extends KnownErrors {
  /** The newest requests of the one error that was asked for, at most 20. Default: all errors were. */
  readonly requests?: readonly ProfileSummary[]
  /** Where its newest request threw. Default: not known. */
  readonly source?: ErrorSource | undefined
}

interface ErrorSource {
  readonly place: string
  readonly line: number
  /** Number and text. */
  readonly lines: readonly (readonly [line: number, code: string, tokens: readonly SourceToken[]])[]
  /** Names and values of variables there; empty where none were noted. */
  readonly values: readonly string[]
  /** The classes, from the outermost to the root cause, and its message. */
  readonly classes: string
  readonly message: string
  readonly hints: StoredParts['exception']['hints']
  readonly candidates: StoredParts['exception']['candidates']
}

export const errors: Question = question({
  name: 'errors',
  label: 'Errors',
  title: ({ values: { id } }) => (id === null ? 'Errors' : 'Error'),
  command: 'errors',
  about: 'list errors: how often, first and last, open, resolved or ignored',
  isFiltered: true,
  foldsFilters: true,
  isOfOne: ({ values: { id } }) => id !== null,
  parameters: {
    state: oneOf(errorStates, undefined, {
      label: 'State',
      help: `only ${errorStates.join(', ')} (default: all)`,
      buttons: { '': 'All', open: 'Open', resolved: 'Resolved', ignored: 'Ignored' },
    }),
    sort: oneOf(errorOrders, 'last', {
      label: 'Sort',
      help: `${errorOrders.join(', ')}; the most frequent or the newest first (default: last)`,
    }),
    id: parameter<string | null>({
      label: 'Error',
      help: 'only this one, with its requests',
      what: 'the id of an error',
      use: '12 hex digits',
      default: null,
      read: (given) => (/^[0-9a-f]{12}$/.test(given) ? given : undefined),
    }),
  },
  listed: { errors: {} },
  links: ({ values: { id } }) =>
    id === null
      ? [{ page: 'errors', with: { status: '4xx' }, text: 'Client errors (4xx)' }]
      : [{ page: 'errors', with: {}, text: 'All errors' }],
  ask: async ({ profiles, errorMarks }, { filter, values: { state, sort, id } }): Promise<FoundErrors> => {
    const marks = await errorMarks?.read()
    const found = await readErrors(profiles, { filter, state, sort, id, marks })
    if (id === null) return found
    const [one] = found.errors
    if (one === undefined) throw new QuestionError('There is no such error among the newest profiles.', 404)
    const newest = await profiles.read(one.lastToken)
    return { ...found, requests: await requestsOf(one, filter, profiles), source: newest && sourceOf(newest) }
  },
  heading: ({ requests, errors: [one] }) => requests && one && cutText(one.lastMessage ?? one.name, 300),
  tone: ({ requests, errors: [one] }) =>
    requests === undefined || one === undefined ? 'neutral' : tones[stateName(one)],
  draw: (found, asked) => {
    const [one] = found.errors
    if (found.requests !== undefined && one !== undefined) return oneError(one, found.requests, found.source)
    if (one === undefined) {
      if (found.missing !== undefined) return [empty(noneReachable)]
      const isNarrowed = isNarrowing(asked.filter) || asked.values.state !== undefined
      return [empty(isNarrowed ? 'No error matches.' : 'No errors recorded.')]
    }
    const hasServices = new Set(found.errors.map(({ service }) => service)).size > 1
    return [
      text(errorsScope(found)),
      wideTable(
        'Errors',
        'error',
        ['Error', ...orderedHeads.map(([title, order]) => headOf(title, order, asked.values.sort))],
        found.errors.map((error) => rowOf(error, hasServices)),
      ),
    ]
  },
})

type StateName = KnownError['state'] | 'back'

const tones: Readonly<Record<StateName, Tone>> = {
  back: 'error',
  open: 'warning',
  resolved: 'success',
  ignored: 'neutral',
}

function stateName({ state, isBack }: KnownError): StateName {
  return isBack ? 'back' : state
}

function stateMark(error: KnownError): Inline {
  const name = stateName(error)
  return { mark: name === 'back' ? 'open again' : name, tone: tones[name] }
}

const orderedHeads = [
  ['Count', 'count'],
  ['First seen (UTC)', 'first'],
  ['Last seen (UTC)', 'last'],
  ['State', 'state'],
] as const

function headOf(number: string, order: ErrorOrder, sort: ErrorOrder): Head {
  return { number, sort: order, isSorted: order === sort }
}

function rowOf(error: KnownError, hasServices: boolean): Table['rows'][number] {
  const { id, name, service, lastMessage, places, count, strip, firstTime, firstVersion } = error
  const where = [...(hasServices ? [`service ${service ?? 'without a name'}`] : []), ...places.map(placeText)]
  return {
    tone: tones[stateName(error)],
    cells: [
      [
        { page: 'errors', with: { id }, text: cutText(lastMessage ?? name, 300) },
        idOf(id),
        detail('origin', lastMessage === null ? null : recorded(unsaid(name, lastMessage))),
        detail('in', recorded(cutText(where.join(' · '), 1000))),
        detail('since', recorded(stateReason(error))),
      ],
      [formatCount(count), { strip }],
      [formatClock(firstTime), detail('version', recorded(firstVersion))],
      lastSeen(error),
      stateMark(error),
    ],
  }
}

function lastSeen({ lastToken, lastTime, lastVersion }: KnownError): Line {
  return [{ profile: lastToken, text: formatClock(lastTime) }, detail('version', recorded(lastVersion))]
}

/** A name without the message that is shown beside it. */
function unsaid(name: string, message: string | null): string {
  const said = `: ${withoutValues(message ?? '')}`
  return cutText(name.endsWith(said) ? name.slice(0, -said.length) : name, 300)
}

/** The parts of the address of the list that leave its profiles. */
function membersOf({ places, service }: KnownError): Readonly<Record<string, string>> {
  return { ...(isOfBrowsers(places) && { method: browserMethod }), ...(service !== null && { service }) }
}

const maxRequests = 20

/** Those of every line that it had. */
async function requestsOf(
  known: KnownError,
  filter: ProfileFilter,
  profiles: QuestionSources['profiles'],
): Promise<readonly ProfileSummary[]> {
  const pages = known.families.map(async (errorFamily) =>
    profiles.find({ ...filter, ...membersOf(known), errorFamily }, { limit: maxRequests }),
  )
  const found = await Promise.all(pages)
  const all = found.flatMap(({ items }) => items).toSorted((one, other) => other.time - one.time)
  return all.slice(0, maxRequests)
}

/** Lines around the one that failed. */
const radius = 4

function sourceOf(profile: Profile): ErrorSource | undefined {
  const thrown = dataOf(profile, 'exception')
  const frame = sourceFrame(thrown?.errors ?? [])
  if (thrown === undefined || !frame?.excerpt) return undefined
  const { errors: chain, hints, candidates } = thrown
  const { startLine, lines } = frame.excerpt
  const numbered = lines.map((tokens, index) => [startLine + index, lineText(tokens), tokens] as const)
  const shown = numbered.filter(([line]) => Math.abs(line - frame.line) <= radius)
  return {
    place: framePlace(frame),
    line: frame.line,
    lines: shown,
    values: variableLines(frame),
    classes: chain.map(({ className }) => className).join(' ← '),
    message: chain.at(-1)?.message ?? '',
    hints,
    candidates: candidates.filter(({ why }) => why !== failedLine),
  }
}

const maxCandidates = 3

function sourceBlocks(
  { place, line: failed, lines, values, classes, message, hints, candidates }: ErrorSource,
  title: string,
): Blocks {
  const rows = lines.map(([line, code, tokens]) => {
    const isMarked = line === failed
    return { line, code, tokens, isSkipped: false, isMarked, said: isMarked ? [offPage('failed here')] : [] }
  })
  return [
    text([{ strong: cutText(classes, 300) }, { place }]),
    text(message !== title && recorded(cutText(message, 1000))),
    { kind: 'lines', rows },
    ...values.map((line) => text(recorded(cutText(line, 1000)))),
    ...hints.slice(0, maxHints).map((hint) => note([{ strong: hint.title }, recorded(cutText(hint.text, 2000))])),
    ...candidates
      .slice(0, maxCandidates)
      .map(({ file, line, why }) =>
        text(['Change here:', { place: `${file}:${line}` }, '–', recorded(cutText(why, 500))]),
      ),
  ]
}

function oneError(error: KnownError, requests: readonly ProfileSummary[], source: ErrorSource | undefined): Blocks {
  const { id, name, lastMessage, count, strip, firstTime, firstVersion, places, service, families } = error
  const isSaidAbove = source !== undefined && families.length === 1
  const links = families.map((family): PageLink => {
    const text = isSaidAbove ? 'all of its requests' : unsaid(family, lastMessage)
    return { page: '', with: { family, ...membersOf(error) }, text }
  })
  return [
    ...(source === undefined ? [] : sourceBlocks(source, lastMessage ?? name)),
    facts('The error', [
      ['Error', [offPage(recorded(cutText(lastMessage ?? name, 1000))), ...(isSaidAbove ? [] : links), idOf(id)]],
      ['State', [stateMark(error), recorded(stateReason(error))]],
      ['Count', [formatCount(count), { strip }, ...(isSaidAbove ? links : [])]],
      ['First seen (UTC)', [formatClock(firstTime), detail('version', recorded(firstVersion))]],
      ['Last seen (UTC)', lastSeen(error)],
      ['In', places.map(placeText).map(recorded)],
      ...(service === null ? [] : [['Service', recorded(service)] as const]),
    ]),
    heading('Requests'),
    wideTable(
      'Its requests, newest first',
      'request',
      ['Request', 'Status', { number: 'Duration' }, { number: 'Time (UTC)' }],
      requests.map((one) => ({
        tone: profileTone(one),
        cells: [
          { profile: one.token, subject: cutText(pathLine(one), 300) },
          statusMark(one),
          formatDuration(one.durationMs),
          formatClock(one.time),
        ],
      })),
    ),
    ...history(error),
  ]
}

/** What happened to it, the newest first; nothing where nobody did anything. */
function history({ marks, firstTime, lastTime }: KnownError): readonly Block[] {
  if (marks.length === 0) return []
  const seen = [
    { time: firstTime, did: 'first seen', by: null, comment: null },
    ...(lastTime > firstTime ? [{ time: lastTime, did: 'last seen', by: null, comment: null }] : []),
  ]
  const set = marks.map(({ time, state, by, comment }) => ({ time, did: `set to ${state}`, by, comment }))
  return [
    heading('History'),
    wideTable(
      'What happened to it, newest first',
      'event',
      ['What', 'When (UTC)', 'By', 'Comment'],
      [...seen, ...set]
        .toSorted((one, other) => other.time - one.time)
        .map(({ time, did, by, comment }) => ({ cells: [did, formatClock(time), recorded(by), recorded(comment)] })),
    ),
  ]
}
