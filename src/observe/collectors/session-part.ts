// What is said of the session with what changed in it, flash messages, and the cookies of request and response.

import { counted, formatAge, formatBytes } from '../../base/html/components.ts'
import { type Blocks, type Block, type Line, empty, heading, note, table, text } from '../blocks/blocks.ts'
import type { DescribedPart } from '../blocks/described-part.ts'
import type { RecordedSession } from '../client/client-state.ts'
import type { CookieFacts, FlashMessage, SessionData } from './session.ts'

export const sessionPart: DescribedPart<SessionData> = {
  name: 'session',
  title: 'Session',
  of: 'requests',
  hidesWhenEmpty: true,
  empty:
    'No session, no cookies. A session is shown where a framework keeps it (request.session), or as the value of exchangeKey("session").',
  badge: ({ session, cookies }) => {
    const wrong = cookies.filter(({ signature, set }) => signature === 'invalid' || (set?.problem ?? null) !== null)
    if (wrong.length > 0) return { count: wrong.length, tone: 'warning', hint: counted(wrong.length, 'wrong cookie') }
    const changes = session?.entries.filter(({ change }) => change !== 'none').length ?? 0
    return changes === 0 ? undefined : { count: changes, tone: 'neutral', hint: counted(changes, 'change') }
  },
  draw: ({ session, flash, cookies, droppedCookies }) => [
    heading('Session'),
    ...(session === null ? [empty('The application kept no session for this request.')] : sessionBlocks(session)),
    ...(flash.length === 0 ? [] : flashBlocks(flash)),
    heading('Cookies'),
    cookies.length === 0
      ? empty('No cookie came, and the response sets none.')
      : table(
          'Cookies of request and response; values are never kept',
          'cookie',
          ['Cookie', { number: 'Received' }, 'Signature', 'The response'],
          cookies.map((cookie) => cookieCells(cookie)),
        ),
    note(droppedCookies !== 0 && `${counted(droppedCookies, 'more cookie')} not kept.`),
  ],
}

const states: Readonly<Record<RecordedSession['state'], string>> = {
  kept: 'The session existed before this request.',
  created: 'The session began with this request.',
  renewed: 'The session got a new id in this request.',
  destroyed: 'This request ended the session.',
  unknown: '',
}

const tones = { none: 'neutral', added: 'success', changed: 'info', removed: 'warning' } as const

function sessionBlocks({ state, hasBefore, lifetimeMs, entries, dropped }: RecordedSession): Blocks {
  const changed = entries.toSorted((one, other) => Number(one.change === 'none') - Number(other.change === 'none'))
  return [
    text([
      states[state] || null,
      lifetimeMs === null ? null : `It lives ${formatAge(lifetimeMs)} without a request.`,
      hasBefore ? null : 'It was first seen at the end of the request, so changes are not known.',
    ]),
    entries.length === 0
      ? empty('It is empty.')
      : table(
          'Entries of the session, changed ones first',
          'entry',
          ['Key', 'Change', 'Before', 'After'],
          changed.map(({ name, change, before, after }) => [
            { code: name },
            !hasBefore ? 'unknown' : change === 'none' ? null : { mark: change, tone: tones[change] },
            before && { value: before },
            after && { value: after },
          ]),
        ),
    note(dropped !== 0 && `${counted(dropped, 'more entry', 'more entries')} not kept.`),
  ]
}

function flashBlocks(messages: readonly FlashMessage[]): readonly Block[] {
  return [
    heading('Flash messages'),
    table(
      'Flash messages',
      'message',
      ['Kind', 'Message', 'State'],
      messages.map(({ kind, text, state }) => [
        { recorded: kind },
        { recorded: text },
        state === 'read' ? 'read by this request' : 'left for a later request',
      ]),
    ),
  ]
}

function cookieCells({ name, receivedBytes, signature, set }: CookieFacts): readonly Line[] {
  return [
    { code: name },
    receivedBytes === null ? null : formatBytes(receivedBytes),
    signature === null
      ? null
      : signature === 'valid'
        ? { mark: 'valid', tone: 'success' }
        : { mark: 'does not fit', tone: 'warning' },
    set === null ? 'leaves it' : setLine(set),
  ]
}

const changes = {
  new: 'sets it',
  changed: 'changes it',
  same: 'sets it again, to the same value',
  deleted: 'deletes it',
} as const

function setLine({ change, bytes, lifetimeSeconds, attributes, problem }: NonNullable<CookieFacts['set']>): Line {
  const lifetime =
    change === 'deleted'
      ? ''
      : lifetimeSeconds === null
        ? ', until the browser closes'
        : `, for ${formatAge(lifetimeSeconds * 1000)}`
  return [
    `${changes[change]} (${formatBytes(bytes)}${lifetime})`,
    attributes === '' ? null : { quiet: { code: attributes } },
    problem === null ? null : { warning: problem },
  ]
}
