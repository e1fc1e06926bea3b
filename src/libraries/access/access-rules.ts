// Decides who may do what: rules of the application vote, and the profile shows which of them decided.

import { HttpError, nameError } from '../../base/http/http-error.ts'
import { type Awaitable, membersOf } from '../../base/members.ts'
import { currentExchange } from '../../http/kernel/current-exchange.ts'
import { describe } from '../../base/options/check-options.ts'
import { type RunningActivity } from '../../observe/activities/activity.ts'
import { beginActivity } from '../../observe/activities/begin-activity.ts'
import { access, type AccessFacts, type RuleVote, type Vote } from '../../capture/activities/access.ts'
import { openRecording } from '../../observe/owner.ts'
import { userName, userOf } from '../../observe/client/user.ts'

export type { RuleVote, Vote }

/** A vote with its reason, a part of a sentence for the profile: `the order is of another user`. */
export interface ReasonedVote {
  /** What the rule says. */
  readonly vote: Vote
  /** At most 500 characters are kept. */
  readonly reason: string
}

/** A rule: looks at user, action and subject, and votes. */
export type AccessRule<User, Action extends string, Subject> = (
  user: User,
  action: Action,
  subject: Subject,
) => Awaitable<Vote | ReasonedVote>

/** Whether somebody may do something. */
export interface AccessDecision {
  /** Whether the user may do it. */
  readonly isGranted: boolean
  /** Name of the rule that decided; `null` where all abstained. */
  readonly by: string | null
  /** That of the rule that decided; `null` without one. */
  readonly reason: string | null
  /** In the order of the rules, up to the one that denied. */
  readonly votes: readonly RuleVote[]
}

/** The rules of an application. */
export interface AccessRules<User, Action extends string, Subject> {
  /**
   * Asks the rules in their order: the first that denies decides, else the first that granted. Where all abstain, access is denied. Rejects
   * with what a rule throws, and with a TypeError for anything but a vote.
   */
  decide(user: User, action: Action, subject: Subject): Promise<AccessDecision>
  /** Rejects with an `AccessDeniedError`, a 403, unless access is granted. */
  ensure(user: User, action: Action, subject: Subject): Promise<void>
}

/** A 403 because a decision went against the user. Its message names what decided; clients outside debug do not see it. */
export class AccessDeniedError extends HttpError {
  /** What the rules said. */
  readonly decision: AccessDecision

  constructor(action: string, subject: unknown, decision: AccessDecision) {
    const name = subjectName(subject)
    super(403, `"${action}"${name === null ? '' : ` of ${name}`} is denied: ${causeOf(decision)}`)
    this.decision = decision
  }
}
nameError(AccessDeniedError)

/**
 * Makes rules out of functions by their names: `accessRules<User, 'edit', Order>({ owner: (user, action, order) => … })`. Each decision is in
 * the panel *Access* of the request's profile. Throws a TypeError without a rule, and for a rule that is not a function.
 */
export function accessRules<User = unknown, Action extends string = string, Subject = unknown>(
  rules: Readonly<Record<string, AccessRule<User, Action, Subject>>>,
): AccessRules<User, Action, Subject> {
  checkRules(rules)
  const decide = async (user: User, action: Action, subject: Subject): Promise<AccessDecision> => {
    const noted = noteDecision(user, action, subjectName(subject))
    const votes: RuleVote[] = []
    try {
      for (const [rule, ask] of Object.entries(rules)) {
        const vote = readVote(rule, await ask(user, action, subject))
        votes.push(vote)
        if (vote.vote === 'denied') break
      }
    } catch (thrown) {
      noted?.fail(thrown, { votes })
      throw thrown
    }
    const decision = decisionOf(votes)
    const { isGranted, by, reason } = decision
    noted?.end({ outcome: isGranted ? 'granted' : 'denied', by, reason, votes })
    return decision
  }
  return {
    decide,
    ensure: async (user, action, subject) => {
      const decision = await decide(user, action, subject)
      if (!decision.isGranted) throw new AccessDeniedError(action, subject, decision)
    },
  }
}

function decisionOf(votes: readonly RuleVote[]): AccessDecision {
  const denial = votes.find(({ vote }) => vote === 'denied')
  const grant = votes.find(({ vote }) => vote === 'granted')
  const { rule = null, reason = null } = denial ?? grant ?? {}
  return { isGranted: denial === undefined && grant !== undefined, by: rule, reason, votes }
}

function causeOf({ by, reason, votes }: AccessDecision): string {
  if (by !== null) return `the rule "${by}" denied it${reason === null ? '' : `, because ${reason}`}`
  return `no rule granted it (${votes.map(({ rule }) => rule).join(', ')} abstained)`
}

const voteWords: readonly unknown[] = ['granted', 'denied', 'abstained'] satisfies readonly Vote[]

function isVote(value: unknown): value is Vote {
  return voteWords.includes(value)
}

function readVote(rule: string, given: unknown): RuleVote {
  if (isVote(given)) return { rule, vote: given, reason: null }
  const { vote, reason } = membersOf(given)
  if (isVote(vote) && typeof reason === 'string') return { rule, vote, reason: reason.slice(0, 500) }
  throw new TypeError(
    `The rule "${rule}" gave ${describe(given)}; allowed: 'granted', 'denied', 'abstained', or { vote, reason }`,
  )
}

function checkRules(rules: unknown): void {
  const entries = typeof rules === 'object' && rules !== null ? Object.entries(rules) : []
  if (entries.length === 0) {
    throw new TypeError(`accessRules() got ${describe(rules)}; allowed: an object with a function for each rule`)
  }
  for (const [rule, ask] of entries) {
    if (typeof ask !== 'function') {
      throw new TypeError(`The rule "${rule}" of accessRules() is ${describe(ask)}; allowed: a function`)
    }
  }
}

/** Stack frames to capture: the application asks directly, or in one of its functions. */
const stackFrames = 12

/** A decision that begins; `undefined` if no request is recorded. `end` says how it ended. */
function noteDecision(user: unknown, action: string, subject: string | null): RunningActivity<AccessFacts> | undefined {
  const redactor = openRecording(currentExchange())?.redactor
  if (redactor === undefined) return undefined
  return beginActivity(access, () => {
    const facts = { user: userName(userOf(user, redactor)), action: action.slice(0, 200), subject }
    return { facts: { ...facts, outcome: 'denied', by: null, reason: null, votes: [] }, site: stackFrames }
  })
}

const maxSubject = 200

/** `Order 7`, `Order`, `"report"`; `null` if there is none. Never throws. */
function subjectName(subject: unknown): string | null {
  try {
    return nameOf(subject)?.slice(0, maxSubject) ?? null
  } catch {
    return 'an object'
  }
}

function nameOf(subject: unknown): string | null {
  if (subject === undefined || subject === null) return null
  if (typeof subject === 'string') return JSON.stringify(subject.slice(0, maxSubject))
  if (typeof subject === 'function') return subject.name || 'a function'
  if (typeof subject === 'number' || typeof subject === 'bigint' || typeof subject === 'boolean') return String(subject)
  if (typeof subject !== 'object') return 'a symbol'
  if (Array.isArray(subject)) return `a list of ${subject.length}`
  const constructor: unknown = Reflect.get(subject, 'constructor')
  const kind = typeof constructor === 'function' && constructor !== Object ? constructor.name : 'object'
  const id: unknown = Reflect.get(subject, 'id')
  return typeof id === 'string' || typeof id === 'number' || typeof id === 'bigint' ? `${kind} ${id}` : kind
}
