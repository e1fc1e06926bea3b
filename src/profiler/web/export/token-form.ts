// Reads which form of a profile an address asks for: `4f7k2m9qx0ab.md`.

import { preferredFormat } from '../../../framework/http/accept.ts'

/** A form a profile can be had in. */
export type ProfileForm = 'html' | 'json' | 'markdown'

const endings: readonly (readonly [ending: string, form: ProfileForm])[] = [
  ['.json', 'json'],
  ['.md', 'markdown'],
]

/** The ending of the address counts, then what the client prefers. The token is not checked. */
export function tokenForm(
  written: string,
  accept: string | undefined,
): { readonly token: string; readonly form: ProfileForm } {
  for (const [ending, form] of endings) {
    if (written.endsWith(ending)) return { token: written.slice(0, -ending.length), form }
  }
  const preferred = preferredFormat(accept)
  return { token: written, form: preferred === 'text' ? 'html' : preferred }
}

/** The form of a page whose path may end in one; else what the client prefers. */
export function pageForm(path: string, accept: string | undefined): ProfileForm {
  return tokenForm(path, accept).form
}
