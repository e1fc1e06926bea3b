// The way from a profile to its neighbours in the list that it was opened from, and back to that list.

import { html, type SafeHtml } from '../../framework/html/html.ts'
import { scriptBlock } from '../../framework/html/style-sheet.ts'
import type { ProfileReader } from '../profile-store.ts'
import { ListQuery } from './list-query.ts'
import { fromStore } from './unreadable-store.ts'

/** A list as the address of a profile carries it; the whole list where that cannot be used. */
export function listOf(written: string): ListQuery {
  const query = new ListQuery(written)
  return query.problems.length === 0 ? query : new ListQuery('')
}

/** Adds the list to the address of a profile. */
export function withList(address: string, { address: list }: ListQuery): string {
  return list === '' ? address : `${address}${address.includes('?') ? '&' : '?'}list=${encodeURIComponent(list)}`
}

export interface Neighbours {
  /** Token of the profile before this one in the list; `null` at its beginning, or if the list does not have this one. */
  readonly before: string | null
  readonly after: string | null
}

export async function neighboursOf(
  profiles: Pick<ProfileReader, 'find'>,
  token: string,
  { filter, order }: ListQuery,
): Promise<Neighbours> {
  const beside = async (side: 'before' | 'after'): Promise<string | null> =>
    (await profiles.find(filter, { order, beside: { token, side } })).items[0]?.token ?? null
  return fromStore(async () => {
    const [before, after] = await Promise.all([beside('before'), beside('after')])
    return { before, after }
  })
}

export function neighbourLinks({ before, after }: Neighbours, linkTo: (token: string) => string): SafeHtml | null {
  if (before === null && after === null) return null
  const link = (token: string | null, rel: 'prev' | 'next', key: string, text: string): SafeHtml | null =>
    token === null
      ? null
      : html`<a rel="${rel}" href="${linkTo(token)}" aria-keyshortcuts="${key}" title="Key ${key}">${text}</a> `
  return html`<nav class="row headline-facts neighbours screen-only" aria-label="In the list">
    ${link(before, 'prev', '[', '‹ Previous')} ${link(after, 'next', ']', 'Next ›')}
  </nav>`
}

/** `[` and `]` follow the links. */
export const neighbourScript: SafeHtml = scriptBlock(`
document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.('input, select, textarea, dialog')) return;
  const rel = { '[': 'prev', ']': 'next' }[event.key];
  if (rel) document.querySelector('.neighbours [rel=' + rel + ']')?.click();
});
`)
