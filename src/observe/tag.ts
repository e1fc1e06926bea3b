// `tag('checkout')` marks the profile of the running request, so that lists can be narrowed to it.

import { currentExchange } from '../http/kernel/current-exchange.ts'
import type { Recording, KeptName } from '../http/recording/recording.ts'
import { maxTags, tagName } from './profile.ts'

export const tagsName: KeptName<readonly string[]> = 'tags'

/**
 * Marks the profile of the current request, and that of the request which it is a part of. Lists show tags and filter by them
 * (`?tag=checkout`, `fanlight profiles list --tag checkout`). White space becomes one space, what is longer than 40 characters is
 * cut, and secrets are masked. A profile has at most 20 tags; further ones are left out, and a note says so. Does nothing outside
 * a recorded request.
 */
export function tag(...names: readonly string[]): void {
  let recording = currentExchange()?.recording
  for (; recording !== undefined; recording = recording.parent) add(recording, names)
}

function add(recording: Recording, names: readonly string[]): void {
  const tags = new Set(recording.kept(tagsName))
  for (const name of names) {
    const text = tagName(recording.redactor.text(String(name)))
    if (text === '' || tags.has(text)) continue
    if (tags.size === maxTags) {
      const isNoted = recording.notes.some(({ source }) => source === tagsName)
      if (!isNoted) recording.note(tagsName, `only the first ${maxTags} tags are kept.`)
      break
    }
    tags.add(text)
  }
  recording.keep(tagsName, [...tags])
}
