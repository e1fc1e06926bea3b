// Schemas of what is known of the client: session, cookies, user and what it may do.

import type { Happening } from '../../activities/activity.ts'
import type { AccessFacts, AccessVote } from '../../activities/kinds.ts'
import type { RecordedSession, SessionEntry } from '../../client/client-state.ts'
import type { CookieFacts, FlashMessage, SessionData, SetCookieFacts } from '../../collectors/session.ts'
import type { RecordedUser } from '../../client/user.ts'
import type { AccessData } from '../../collectors/access.ts'
import { happening } from './activities.ts'
import { nullableNumber, nullableText } from './profiles.ts'
import { boolean, integer, list, named, nullable, object, oneOf, text, type Schema } from './schema.ts'
import { dumpedValue } from './values.ts'

export const session: Schema<SessionData> = named(
  'SessionData',
  'The session with what changed in it, flash messages, and cookies in both directions without their values.',
  object<SessionData>({
    session: nullable(
      object<RecordedSession>({
        state: oneOf('kept', 'created', 'renewed', 'destroyed'),
        hasBefore: boolean(),
        lifetimeMs: nullableNumber,
        signedCookie: nullableText,
        entries: list(
          object<SessionEntry>({
            name: text(),
            change: oneOf('none', 'added', 'changed', 'removed'),
            before: nullable(dumpedValue),
            after: nullable(dumpedValue),
          }),
        ),
        dropped: integer(),
      }),
    ),
    flash: list(object<FlashMessage>({ kind: text(), text: text(), state: oneOf('read', 'left') })),
    cookies: list(
      object<CookieFacts>({
        name: text(),
        receivedBytes: nullable(integer()),
        signature: nullable(oneOf('valid', 'invalid')),
        set: nullable(
          object<SetCookieFacts>({
            change: oneOf('new', 'changed', 'same', 'deleted'),
            bytes: integer(),
            lifetimeSeconds: nullableNumber,
            attributes: text(),
            problem: nullableText,
          }),
        ),
      }),
    ),
    droppedCookies: integer(),
  }),
)

export const access: Schema<AccessData> = named(
  'AccessData',
  'The user of the request, and what was decided about access.',
  object<AccessData>({
    user: nullable(object<RecordedUser>({ id: nullableText, name: nullableText, roles: list(text()) })),
    entries: list(
      object<AccessFacts & Happening>({
        ...happening,
        user: nullableText,
        action: text(),
        subject: nullableText,
        outcome: oneOf('granted', 'denied'),
        by: nullableText,
        reason: nullableText,
        votes: list(
          object<AccessVote>({
            rule: text(),
            vote: oneOf('granted', 'denied', 'abstained'),
            reason: nullableText,
          }),
        ),
      }),
    ),
    dropped: integer(),
  }),
)
