// Who the user of the request was, and what was decided about access.

import { counted } from '../../base/html/components.ts'
import { type Block, type Line, facts, heading, place, table, text } from '../../observe/blocks/blocks.ts'
import { type RecordedUser, userName } from '../../observe/client/user.ts'
import type { Activities, ActivityKind, Happening } from '../../observe/activities/activity.ts'

export interface AccessFacts {
  /** Name or id, masked; `null` for nobody who is known. */
  readonly user: string | null
  readonly action: string
  /** `Order 7`; `null` without one. */
  readonly subject: string | null
  /** `denied`, too, while it is not decided, and where a rule failed. */
  readonly outcome: 'granted' | 'denied'
  /** The rule that decided; `null` where all abstained. */
  readonly by: string | null
  readonly reason: string | null
  readonly votes: readonly RuleVote[]
}

/** What a rule says. One that has nothing to say about an action or a subject abstains. */
export type Vote = 'granted' | 'denied' | 'abstained'

/** What one rule said, and why. */
export interface RuleVote {
  readonly rule: string
  readonly vote: Vote
  /** `null` where the rule gave none. */
  readonly reason: string | null
}

export interface AccessData extends Activities<AccessFacts> {
  /** `null` if nobody is known. */
  readonly user: RecordedUser | null
}

export const access: ActivityKind<AccessFacts, AccessData> = {
  name: 'access',
  title: 'Access',
  noun: ['decision', 'decisions'],
  of: 'requests',
  most: 200,
  empty:
    'No user is known, and nothing was decided. A user is shown where a framework keeps it (request.user), or as the value of exchangeKey("user"); decisions come from accessRules() and from guards of Nest.',
  flag: { word: 'denied', tone: 'warning', is: ({ outcome }) => outcome === 'denied' },
  beside: (client) => ({ user: client?.user ?? null }),
  draw: ({ user, entries }) => [
    heading('User'),
    user === null ? text('No user.') : userBlock(user),
    entries.length === 0 ? null : heading('Decisions'),
    table(
      'Decisions about access',
      'decision',
      ['Result', 'What', 'Why'],
      entries.map((entry) => cellsOf(entry, user)),
    ),
  ],
}

function userBlock({ id, name, roles }: RecordedUser): Block {
  return facts('User', [
    ['Name', name === null ? 'unknown' : { recorded: name }],
    ...(id === null ? [] : [['Id', { recorded: id }] as const]),
    ...(roles.length === 0 ? [] : [['Roles', roles.map((role) => ({ code: role }))] as const]),
  ])
}

/** `known`: the user of the request, whom the panel has named. */
function cellsOf(entry: AccessFacts & Happening, known: RecordedUser | null): readonly Line[] {
  const { user, action, subject, outcome, by, reason, callSite, error, votes } = entry
  return [
    { mark: outcome, tone: outcome === 'granted' ? 'success' : 'warning' },
    [
      { code: action },
      ...(subject === null ? [] : ['of', { recorded: subject }]),
      user === userName(known) ? null : { quiet: user === null ? 'without a user' : ['by', { recorded: user }] },
      place(callSite),
    ],
    [
      ...(error === null ? because(by, reason) : [{ failure: error }]),
      votes.length < 2
        ? null
        : {
            fold: counted(votes.length, 'vote'),
            items: votes.map(({ rule, vote, reason: why }) => [
              { code: rule },
              { recorded: vote },
              why === null ? null : { quiet: { recorded: why } },
            ]),
          },
    ],
  ]
}

function because(by: string | null, reason: string | null): readonly Exclude<Line, readonly unknown[]>[] {
  if (by === null) return ['All rules abstained.']
  return [{ code: by }, reason === null ? null : { recorded: reason }]
}
