// Which part of a profile an address asks for, in which format, and what a miss says.

import { parseQuery } from '../base/http/query.ts'
import { quoted } from '../base/redact/cut-text.ts'
import { unknownNames } from './query-values.ts'
import { preferredFormat } from '../base/http/media-type.ts'
import { codeSpan } from '../base/markdown-text.ts'
import { nearestName } from '../base/options/check-options.ts'
import { html, type SafeHtml } from '../base/html/html.ts'
import type { Panel } from './panel.ts'
import { type PageAnswer, fromStore, type ProfilerPage } from './profiler-page.ts'
import { emptyState } from '../base/html/components.ts'
import { type MissingParts, nothingYet as sentenceOf } from '../profiles/profile-store.ts'
import { findLatest } from '../profiles/query/named-profile.ts'
import { profilerRedirect } from './profiler-reply.ts'

/** The one type of profile that there is (SPEC 5.1). */
export const profileType = 'request'

interface AskedPart {
  readonly panel: string | undefined
  readonly type: string
  /** The list that the profile was opened from, as its address; empty for the whole list. */
  readonly list: string
  /** Why the address is probably a mistake: a name that is almost one of these two. Otherwise `null`. */
  readonly problem: string | null
  /** Parameters without a meaning, one sentence each. */
  readonly ignored: readonly string[]
  /** Of the panel's own parameters. */
  readonly values: ReadonlyMap<string, string>
}

/** Characters of a value that are read. */
const maxValue = 200

/** Reads the raw query. Of a name that is there twice the first counts. */
export function readAskedPart(rawQuery: string, panels: readonly Panel[]): AskedPart {
  const query = parseQuery(rawQuery)
  const panel = query.get('panel')?.[0]
  const own = panels.find(({ name }) => name === panel)?.parameters ?? []
  const { misspelt, foreign } = unknownNames(query, ['panel', 'type', 'list', ...own])
  return {
    panel,
    values: new Map(own.map((name) => [name, (query.get(name)?.[0] ?? '').slice(0, maxValue)])),
    type: query.get('type')?.[0] ?? profileType,
    list: query.get('list')?.[0] ?? '',
    problem: misspelt[0] ?? null,
    ignored: foreign,
  }
}

type ProfileForm = 'html' | 'json' | 'markdown'

/** The ending of the address counts, then what the client prefers. The token is not checked. */
export function tokenForm(
  written: string,
  accept: string | undefined,
): { readonly token: string; readonly form: ProfileForm } {
  const [, token = '', ending] = /^(.*)\.(json|md)$/s.exec(written) ?? []
  if (ending !== undefined) return { token, form: ending === 'md' ? 'markdown' : 'json' }
  const preferred = preferredFormat(accept)
  return { token: written, form: preferred === 'text' ? 'html' : preferred }
}

/** The form of a page whose path may end in one; else what the client prefers. */
export function pageForm(path: string, accept: string | undefined): ProfileForm {
  return tokenForm(path, accept).form
}

/** Unknown, malformed and evicted tokens: every such page is the same (SPEC 5.3). */
export function missingProfile(profilerPath: string): PageAnswer {
  const error = 'There is no such profile.'
  return {
    status: 404,
    html: () => ({
      title: 'Error 404 Not Found',
      tone: 'warning',
      content: html`<h2>There is no such profile</h2>
        <p>It was not recorded or has expired.</p>
        <p><a href="${profilerPath}/">All profiles</a> · <a href="${profilerPath}/latest">Latest</a></p>`,
    }),
    json: () => ({ error }),
    markdown: () => `${error}\n`,
  }
}

/** For a panel or type that does not exist, or an address that is probably a mistake. `linkTo` gives the address of a panel. */
export function missingPanel(
  panels: readonly Panel[],
  asked: AskedPart,
  linkTo: (panel: string) => string,
): Omit<PageAnswer, 'html'> & { readonly note: SafeHtml } {
  const error = missingPart(panels, asked)
  const names = panels.map(({ name }) => name)
  return {
    status: asked.problem === null ? 404 : 400,
    note: html`<h2>${error}</h2>
      <p>
        There are:
        ${panels.map(({ name }, index) => html`${index === 0 ? '' : ', '}<a href="${linkTo(name)}">${name}</a>`)}.
      </p>`,
    json: () => ({ error, type: profileType, panels: names }),
    markdown: () => `${codeSpan(error)} There are: ${names.map(codeSpan).join(', ')}\n`,
  }
}

function missingPart(panels: readonly Panel[], asked: AskedPart): string {
  if (asked.problem !== null) return asked.problem
  return asked.type === profileType
    ? `There is no ${named('panel', asked.panel ?? '')}.${meantPanel(panels, asked.panel ?? '')}`
    : `There is no ${named('type', asked.type)}. Use request.`
}

/** By its name or its title: ` Did you mean "http-client"?`; nothing if no panel is near. */
function meantPanel(panels: readonly Panel[], asked: string): string {
  const wanted = asked.toLowerCase().replaceAll('_', '-')
  const nearest =
    nearestName(
      wanted,
      panels.map(({ name }) => name),
    ) ?? panels.find(({ title }) => title.toLowerCase() === wanted)?.name
  return nearest === undefined ? '' : ` Did you mean ${quoted(nearest)}?`
}

/** Only what could be a name is said again. */
function named(what: string, name: string): string {
  return /^[\w-]{1,40}$/.test(name) ? `${what} ${quoted(name)}` : `such ${what}`
}

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
