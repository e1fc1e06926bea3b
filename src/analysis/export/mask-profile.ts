// Masks a profile again before export and on import, with the rules of today, and hides the recipients of its mails.

import { recipientHider, roomForMasks } from '../../capture/activities/mail.ts'
import type { Profile } from '../../observe/profile.ts'
import type { Redactor } from '../../base/redact/redactor.ts'
import { mask } from '../../base/redact/rules.ts'
import { membersOf } from '../../base/members.ts'

export interface MaskedProfile {
  readonly profile: Profile
  /** Places of masked values, at most 1000: `data.request.headers.3.1`. */
  readonly places: readonly string[]
  /** How many of the values were masked only now. */
  readonly newlyMasked: number
}

const maxPlaces = 1000
const maxDepth = 100

/** Throws a RangeError for data that is nested deeper than 100 levels. */
export function maskProfile(profile: Profile, redactor: Redactor): MaskedProfile {
  const hideRecipients = recipientHider(recipientsOf(profile.data['mail']))
  const places: string[] = []
  let newlyMasked = 0
  const maskText = (text: string, place: string): string => {
    const masked = redactor.text(hideRecipients(text), text.length + roomForMasks)
    if (masked !== text) newlyMasked += 1
    if (masked.includes(mask) && places.length < maxPlaces) places.push(place)
    return masked
  }
  const { token, parentToken, childTokens, ...rest } = profile
  // Tokens are our own, and links need them.
  const masked = { token, parentToken, childTokens, ...(mapTexts(rest, maskText) as typeof rest) }
  return { profile: masked, places, newlyMasked }
}

/** The same JSON value with other strings; its shape stays. */
function mapTexts(value: unknown, toText: (text: string, place: string) => string, place = '', depth = 0): unknown {
  if (typeof value === 'string') return toText(value, place)
  if (typeof value !== 'object' || value === null) return value
  if (depth > maxDepth)
    throw new RangeError(`the data is nested deeper than ${maxDepth} levels at ${place.slice(0, 200)}`)
  const below = (key: string, member: unknown): unknown =>
    mapTexts(member, toText, place === '' ? key : `${place}.${key}`, depth + 1)
  if (Array.isArray(value)) return value.map((member: unknown, index) => below(String(index), member))
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, below(key, member)]))
}

/** Of data that may come from elsewhere. */
function recipientsOf(mail: unknown): readonly string[] {
  const { entries } = membersOf(mail)
  if (!Array.isArray(entries)) return []
  const lists = entries.map((entry) => {
    const { to, cc, bcc } = membersOf(entry)
    return [to, cc, bcc]
  })
  return lists.flat(2).filter((address): address is string => typeof address === 'string' && address.includes('@'))
}
