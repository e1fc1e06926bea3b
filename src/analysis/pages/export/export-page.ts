// `/_profiler/export?token=<token>`: what is masked before a profile is shared, and the files it can be saved as, with
// `as=html`, `json`, `otlp` or `markdown`.

import { codeSpan } from '../../../base/markdown-text.ts'
import { fold } from '../../../base/html/components.ts'
import { html, type SafeHtml } from '../../../base/html/html.ts'
import { styleSheet } from '../../../base/html/style-sheet.ts'
import { parseQuery } from '../../../base/http/query.ts'
import type { Reply } from '../../../base/http/reply.ts'
import type { Exchange } from '../../../http/kernel/exchange.ts'
import { countOf } from '../../../base/html/page-budget.ts'
import { cutText } from '../../../base/redact/cut-text.ts'
import type { Profile } from '../../../observe/profile.ts'
import { Redactor } from '../../../base/redact/redactor.ts'
import { findLatest } from '../../../profiles/query/named-profile.ts'
import { nothingYet } from '../../../pages/latest-page.ts'
import { pathLine, profileTitle } from '../../../profiles/profile-facts.ts'
import { heading } from '../../../pages/layout.ts'
import { fromStore, type PageAnswer, type PageTools, type ProfilerPage } from '../../../pages/profiler-page.ts'
import { profilerDownload, profilerRedirect } from '../../../pages/profiler-reply.ts'
import { quoted, readValues, unknownNames } from '../../../pages/query-values.ts'
import { exportFormats, exportFormOf, renderExport, type ExportForm } from '../../../profiles/query/export-forms.ts'
import { maskProfile, type MaskedProfile } from '../../../profiles/query/mask-profile.ts'
import { readFamily } from '../../../profiles/query/profile-file.ts'
import { renderProfileHtml } from './profile-html.ts'

/** Places of masked values that the page names. */
const maxPlaces = 300

/** The preview, or the file itself. The page of a missing profile if there is no such one; 400 for a form that does not exist. */
export const exportPage: ProfilerPage = async (exchange, tools) => {
  const query = parseQuery(exchange.request.rawQuery)
  const { misspelt, foreign } = unknownNames(query, ['token', 'as'])
  const problems: string[] = [...misspelt]
  const given = readValues(query, { token: 'Token', as: 'As' }, problems)
  const token = given.get('token') ?? ''
  if (token === 'latest') return latest(exchange, tools)
  const family = await fromStore(async () => familyOf(tools, token))
  if (family === undefined) return tools.missing
  const masked = maskAll(family)
  const asked = given.get('as') ?? ''
  const form = asked === '' ? undefined : exportFormOf(asked)
  const [wrong] = problems
  if (form !== undefined && wrong === undefined && 'profiles' in masked) return file(form, masked.profiles, tools)
  const unusable = wrong ?? (asked === '' || form !== undefined ? null : unknownForm(asked))
  const problem = 'problem' in masked ? masked.problem : unusable
  const shown = { profile: family[0], masked: 'profiles' in masked ? masked.profiles : [], problem, ignored: foreign }
  return preview(shown, tools)
}

/** The newest profile has a permanent address. */
async function latest(exchange: Exchange, { options }: PageTools): Promise<PageAnswer | Reply> {
  const { newest, missing } = await fromStore(async () => findLatest(options.profiles))
  if (newest === undefined) return nothingYet(missing)
  const query = new URLSearchParams(exchange.request.rawQuery)
  query.set('token', newest.token)
  const ending = /\.(?:json|md)$/.exec(exchange.request.path)?.[0] ?? ''
  return profilerRedirect(`${options.profilerPath}/export${ending}?${query.toString()}`)
}

async function familyOf(
  { options: { profiles } }: PageTools,
  token: string,
): Promise<readonly [Profile, ...Profile[]] | undefined> {
  const profile = await profiles.read(token)
  return profile === undefined ? undefined : readFamily(profiles, profile)
}

type MaskedFamily = readonly [MaskedProfile, ...MaskedProfile[]]

function maskAll([first, ...rest]: readonly [Profile, ...Profile[]]):
  | { readonly profiles: MaskedFamily }
  | { readonly problem: string } {
  const redactor = new Redactor()
  try {
    return { profiles: [maskProfile(first, redactor), ...rest.map((profile) => maskProfile(profile, redactor))] }
  } catch (error) {
    return { problem: `This profile cannot be exported: ${error instanceof Error ? error.message : String(error)}.` }
  }
}

function unknownForm(asked: string): string {
  return `As: ${quoted(asked)} is not valid. Use ${Object.keys(exportFormats).join(', ')}.`
}

function file(form: ExportForm, [first, ...rest]: MaskedFamily, { panels }: PageTools): Reply {
  const { contentType, ending } = exportFormats[form]
  const profiles = [first.profile, ...rest.map(({ profile }) => profile)] as const
  const content = renderExport(form, profiles, (all) => renderProfileHtml(all, panels))
  return profilerDownload(content, contentType, `profile-${first.profile.token}.${ending}`)
}

interface Preview {
  readonly profile: Profile
  /** It and its sub-requests; none if they cannot be shared. */
  readonly masked: readonly MaskedProfile[]
  readonly problem: string | null
  readonly ignored: readonly string[]
}

function preview(
  { profile, masked, problem, ignored }: Preview,
  { options: { profilerPath }, linkTo }: PageTools,
): PageAnswer {
  const places = masked.flatMap(({ profile: { token }, places: own }) => own.map((place) => `${token} ${place}`))
  const newlyMasked = masked.reduce((sum, one) => sum + one.newlyMasked, 0)
  const addressOf = (form: string): string => `${profilerPath}/export?token=${profile.token}&as=${form}`
  return {
    status: problem === null ? 200 : 400,
    ignored,
    html: () => ({
      title: `Export: ${profileTitle(profile)}`,
      headline: heading('Export a profile'),
      styles: [exportStyles],
      content: html`<p class="export-subject">
          <a class="mono" href="${linkTo(profile.token)}">${cutText(pathLine(profile), 300)}</a>
        </p>
        ${problem === null ? null : html`<p class="note tone-warning">${problem}</p>`}
        ${masked.length === 0 ? null : html`${formList(addressOf)} ${maskedPart(places, newlyMasked, masked.length)}`}`,
    }),
    json: () => ({
      token: profile.token,
      profiles: masked.length,
      places,
      newlyMasked,
      files: Object.fromEntries(Object.keys(exportFormats).map((form) => [form, addressOf(form)])),
      problem,
      ignored,
    }),
    markdown: () =>
      `# Export of ${codeSpan(profile.token)}\n\n${problem === null ? '' : `${codeSpan(problem)}\n\n`}${summary(places.length, newlyMasked, masked.length)}\n\n` +
      `${Object.keys(exportFormats)
        .map((form) => `- ${form}: ${codeSpan(addressOf(form))}`)
        .join('\n')}\n`,
  }
}

function formList(addressOf: (form: string) => string): SafeHtml {
  return html`<h2>Save as</h2>
    <ul class="export-files">
      ${Object.entries(exportFormats).map(
        ([form, { label, ending }]) =>
          html`<li>
            <a class="button" href="${addressOf(form)}" download>.${ending}</a> <span class="muted">${label}</span>
          </li> `,
      )}
    </ul>`
}

function maskedPart(places: readonly string[], newlyMasked: number, profiles: number): SafeHtml {
  const list = html`<ul class="mono small">
    ${places.slice(0, maxPlaces).map((place) => html`<li>${cutText(place, 300)}</li> `)}
    ${places.length > maxPlaces ? html`<li>and ${places.length - maxPlaces} more</li>` : null}
  </ul>`
  return html`<h2>Before you share it</h2>
    <p>
      ${summary(places.length, newlyMasked, profiles)} Masked values appear as <code>******</code>. Check the rest for
      secrets.
    </p>
    ${places.length === 0 ? null : fold('Masked values', list)}`
}

const exportStyles: SafeHtml = styleSheet(`
.export-subject { margin-top: var(--space-6); overflow-wrap: anywhere }
.export-files li { display: flex; gap: var(--space-3); align-items: center; margin-top: var(--space-2) }
.export-files .button { flex: none; width: 6rem; justify-content: center }
.export-subject ~ h2 { margin: var(--space-6) 0 var(--space-2) }
.export-subject ~ .fold { margin-top: var(--space-3) }
`)

function summary(places: number, newlyMasked: number, profiles: number): string {
  const many = profiles === 1 ? 'this profile' : `this profile and its ${countOf(profiles - 1, 'sub-request')}`
  if (places === 0) return `Nothing in ${many} is masked.`
  const fresh = newlyMasked === 0 ? '' : `, ${newlyMasked} of them only for the export`
  return `${countOf(places, 'value')} in ${many} ${places === 1 ? 'is' : 'are'} masked${fresh}.`
}
