// What debug shows of the body of a request or a response: how much of it was kept, why not, and its content by media type, masked.
// The bytes are taken while it runs; the content is made with the profile.

import type { KeptName } from './recording.ts'
import type { RequestBody } from '../../base/http/body.ts'
import { maxKeptBytes, type FirstBytes } from '../../base/http/first-bytes.ts'
import { parseMediaType } from '../../base/http/media-type.ts'
import type { Reply } from '../../base/http/reply.ts'
import { bodyContent, type BodyContent, type BodyMasker } from './body-content.ts'
import { bodyRule, hasNamedValues, keeperOf, type BodyRule, type RuleSource } from './body-rule.ts'

/** Why there is nothing of a body, after `The body`. */
const lacks = {
  off: 'was not recorded: that needs captureBody: true on the route.',
  'not-asked': 'was not recorded: that needs captureBodies: true.',
  'no-route': 'was not read: no route matched.',
  unread: 'was not read by the handler.',
  'other-type': 'was not recorded: it is neither JSON nor a form. captureBodies: true keeps others, too.',
  'too-long': 'was not recorded: it is longer than 64 KB.',
  partial: 'was not recorded: only a part of it was read or sent.',
  malformed: 'was not recorded: it is not of the type that it names, so its secrets could not be masked.',
  'left-out': 'was left out: there was no room for it.',
} as const

type Lack = keyof typeof lacks

/** `undefined` for a body that is there, and for states of other versions. */
export function lackOf(state: string): string | undefined {
  return Object.entries(lacks).find(([name]) => name === state)?.[1]
}

/** The body of a request as far as it was captured. Plain data. */
export interface CapturedBody {
  /** `none`: there is none. `kept`: at least its beginning is there. */
  readonly state: 'none' | 'kept' | Lack
  /** Media type as sent, without parameters; empty where none was sent. */
  readonly mediaType: string
  /** `Content-Length`; `null` where none was sent. */
  readonly declaredBytes: number | null
  /** How many bytes the handler read, and how many of them were kept. */
  readonly readBytes: number
  readonly keptBytes: number
  /** Whether the handler read to the end. */
  readonly isComplete: boolean
  /** `null` unless the state is `kept`. */
  readonly content: BodyContent | null
}

/** The body that another framework sends. */
export const keptResponseName: KeptName<FirstBytes> = 'response-body'

/** A body in the record of its request: not masked yet. */
export interface RecordedBody extends Pick<CapturedBody, 'state' | 'declaredBytes' | 'readBytes' | 'isComplete'> {
  readonly rule: BodyRule
  readonly contentType: string | undefined
  readonly encoding: string | undefined
  /** Empty unless the state is `kept`. */
  readonly base64: string
}

/** Takes the body of a request. Never throws. */
export function recordBody(source: RuleSource & { readonly request: { readonly body: RequestBody } }): RecordedBody {
  const {
    route,
    recording,
    request: { body },
  } = source
  const rule = bodyRule(source)
  const whyNot = (): CapturedBody['state'] | undefined => {
    if (body.isEmpty) return 'none'
    if (body.seen === undefined && route === undefined) return 'no-route'
    if (rule === 'none') return route?.captureBody === false || recording === undefined ? 'off' : 'not-asked'
    return undefined
  }
  const { contentType, encoding, contentLength: declaredBytes = null } = body
  const isComplete = body.isEmpty || body.seen?.isComplete === true
  return recordPassed(body.seen, { rule, contentType, encoding, declaredBytes, isComplete }, whyNot())
}

/** Takes the body of a response: what left as it was, or its whole body. `undefined` if there is none to show. */
export function recordReply(
  reply: Reply,
  rule: BodyRule,
  isComplete: boolean,
  passed: FirstBytes | undefined,
): RecordedBody | undefined {
  const { body } = reply
  const first = passed ?? keeperOf(rule, (name) => reply.header(name))
  if (passed === undefined && (typeof body === 'string' || body instanceof Uint8Array)) first?.add(Buffer.from(body))
  if (first === undefined || first.bytes === 0) return undefined
  const [contentType, encoding] = [reply.header('content-type'), reply.header('content-encoding')]
  return recordPassed(first, { rule, contentType, encoding, declaredBytes: first.bytes, isComplete })
}

/** Takes what has passed of a body. */
export function recordPassed(
  first: FirstBytes | undefined,
  facts: Omit<RecordedBody, 'state' | 'readBytes' | 'base64'>,
  whyNot?: RecordedBody['state'],
): RecordedBody {
  const { bytes: readBytes = 0, droppedBytes = 0 } = first ?? {}
  const stateByName = (): RecordedBody['state'] => {
    if (!hasNamedValues(facts.contentType)) return 'other-type'
    if (Math.max(readBytes, facts.declaredBytes ?? 0) > maxKeptBytes) return 'too-long'
    if (readBytes === 0) return 'unread'
    return facts.isComplete ? (droppedBytes > 0 ? 'left-out' : 'kept') : 'partial'
  }
  const state = whyNot ?? (facts.rule === 'named' ? stateByName() : readBytes === 0 ? 'unread' : 'kept')
  return { ...facts, state, readBytes, base64: state === 'kept' ? (first?.kept.toString('base64') ?? '') : '' }
}

/** Describes a recorded body. Never throws. `maxText`: characters of a text at most. */
export function capturedBody(recorded: RecordedBody, masker: BodyMasker, maxText = 16_384): CapturedBody {
  const { base64, contentType, encoding, rule, ...facts } = recorded
  const bytes = Buffer.from(base64, 'base64')
  const mediaType = parseMediaType(contentType).essence.slice(0, 100)
  const body = { ...facts, mediaType, keptBytes: bytes.byteLength, content: null }
  if (facts.state !== 'kept') return body
  const isWhole = facts.isComplete && facts.readBytes === bytes.byteLength
  const content = bodyContent(bytes, { contentType, encoding, isWhole, maxText }, masker)
  const isNamed = content.kind === 'json' || content.kind === 'form'
  return rule === 'all' || isNamed ? { ...body, content } : { ...body, state: 'malformed' }
}
