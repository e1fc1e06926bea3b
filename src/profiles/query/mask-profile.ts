// Masks a profile again before export and on import, with the rules of today, and hides the recipients of its mails.

import { recipientHider } from '../../observe/activities/mail.ts'
import type { Profile } from '../../observe/profile.ts'
import type { Redactor } from '../../base/redact/redactor.ts'
import { mask } from '../../base/redact/rules.ts'

export interface MaskedProfile {
  readonly profile: Profile
  /** Places of masked values, at most 1000: `data.request.headers.3.1`. */
  readonly places: readonly string[]
  /** How many of the values were masked only now. */
  readonly newlyMasked: number
}

const maxPlaces = 1000
const maxDepth = 100
/** Masked text may be longer than it was. */
const roomForMasks = 65_536

/** Throws a RangeError for data that is nested deeper than 100 levels. */
export function maskProfile(profile: Profile, redactor: Redactor): MaskedProfile {
  const masker = new Masker(redactor, recipientHider(recipientsOf(profile.data['mail'])))
  const { token, parentToken, childTokens, ...rest } = profile
  // Tokens are our own, and links need them.
  const masked = { token, parentToken, childTokens, ...(masker.value(rest, '', 0) as typeof rest) }
  return { profile: masked, places: masker.places, newlyMasked: masker.newlyMasked }
}

/** Of data that may come from elsewhere. */
function recipientsOf(mail: unknown): readonly string[] {
  const { entries } = Object(mail) as { readonly entries?: unknown }
  if (!Array.isArray(entries)) return []
  const lists = entries.map((entry) => {
    const { to, cc, bcc } = Object(entry) as Readonly<Record<string, unknown>>
    return [to, cc, bcc]
  })
  return lists.flat(2).filter((address): address is string => typeof address === 'string' && address.includes('@'))
}

class Masker {
  readonly places: string[] = []
  newlyMasked = 0
  readonly #redactor: Redactor

  readonly #hideRecipients: (text: string) => string

  constructor(redactor: Redactor, hideRecipients: (text: string) => string) {
    this.#redactor = redactor
    this.#hideRecipients = hideRecipients
  }

  /** The same JSON value with every string masked; its shape stays. */
  value(value: unknown, place: string, depth: number): unknown {
    if (typeof value === 'string') return this.#text(value, place)
    if (typeof value !== 'object' || value === null) return value
    if (depth > maxDepth)
      throw new RangeError(`the data is nested deeper than ${maxDepth} levels at ${place.slice(0, 200)}`)
    const below = (key: string | number): string => (place === '' ? String(key) : `${place}.${key}`)
    if (Array.isArray(value)) return value.map((member: unknown, index) => this.value(member, below(index), depth + 1))
    const entries = Object.entries(value).map(([key, member]) => [key, this.value(member, below(key), depth + 1)])
    return Object.fromEntries(entries) as unknown
  }

  #text(text: string, place: string): string {
    const masked = this.#redactor.text(this.#hideRecipients(text), text.length + roomForMasks)
    if (masked !== text) this.newlyMasked++
    if (masked.includes(mask) && this.places.length < maxPlaces) this.places.push(place)
    return masked
  }
}
