// `/_profiler/latest`: leads to the newest profile, with the panel and in the form that was asked for.

import { emptyState } from '../base/html/components.ts'
import { parseQuery } from '../base/http/query.ts'
import type { MissingParts } from '../profiles/profile-store.ts'
import { findLatest } from '../profiles/query/named-profile.ts'
import { nothingYet as sentenceOf } from '../profiles/query/missing-parts.ts'
import { fromStore, type PageAnswer, type ProfilerPage } from './profiler-page.ts'
import { profilerRedirect } from './profiler-reply.ts'

/** Characters of a panel's name that are passed on. */
const maxNameLength = 100

/** A redirect; 404 and a sentence while nothing was profiled, 503 while parts of the store are missing. */
export const latestPage: ProfilerPage = async (exchange, { options, linkTo }) => {
  const { newest, missing } = await fromStore(async () => findLatest(options.profiles))
  if (newest === undefined) return nothingYet(missing)
  const { path, rawQuery } = exchange.request
  // Whether there is such a panel is said where the redirect leads.
  const panel = parseQuery(rawQuery).get('panel')?.[0]?.slice(0, maxNameLength)
  const ending = /\.(?:json|md)$/.exec(path)?.[0] ?? ''
  return profilerRedirect(
    linkTo(`${newest.token}${ending}`, panel === undefined ? undefined : encodeURIComponent(panel)),
  )
}

/** Also for what else leads to the newest profile. */
export function nothingYet(missing: MissingParts | undefined): PageAnswer {
  const isKnown = missing === undefined
  const sentence = sentenceOf(missing)
  return {
    status: isKnown ? 404 : 503,
    missing,
    html: () => ({ title: isKnown ? 'No profile yet' : 'No profile', content: emptyState(sentence) }),
    json: () => ({ error: sentence, missing }),
    markdown: () => `${sentence}\n`,
  }
}
