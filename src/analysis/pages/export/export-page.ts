// `/_profiler/export?token=<token>`: what is masked before a profile is shared, and the files it can be saved as, with
// `as=html`, `json`, `otlp` or `markdown`.

import { codeSpan } from '../../../base/markdown-text.ts'
import { type SafeHtml, styleSheet } from '../../../base/html/html.ts'
import { parseQuery } from '../../../base/http/query.ts'
import type { Reply } from '../../../base/http/reply.ts'
import type { Exchange } from '../../../http/kernel/exchange.ts'
import { countOf } from '../../../base/html/page-budget.ts'
import { cutText, quoted } from '../../../base/redact/cut-text.ts'
import { heading, note, recorded, text, type Block, type Blocks, type Line } from '../../../observe/blocks/blocks.ts'
import { sectionTexts } from '../../../observe/blocks/sections.ts'
import type { Profile } from '../../../observe/profile.ts'
import { Redactor } from '../../../base/redact/redactor.ts'
import { mask } from '../../../base/redact/rules.ts'
import { findLatest } from '../../../profiles/query/named-profile.ts'
import { nothingYet } from '../../../pages/asked-part.ts'
import { pathLine, profileTitle } from '../../../profiles/profile-facts.ts'
import { drawBlocks } from '../../../pages/draw-blocks.ts'
import { heading as pageTitle } from '../../../pages/layout.ts'
import { fromStore, type PageAnswer, type PageTools, type ProfilerPage } from '../../../pages/profiler-page.ts'
import { profilerDownload, profilerRedirect } from '../../../pages/profiler-reply.ts'
import { readValues, unknownNames } from '../../../pages/query-values.ts'
import {
  exportFormats,
  exportFormOf,
  renderExport,
  type ExportForm,
  maskProfile,
  type MaskedProfile,
} from '../../export/export-forms.ts'
import { readFamily } from '../../export/profile-file.ts'
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
  const unknown = `As: ${quoted(asked)} is not valid. Use ${Object.keys(exportFormats).join(', ')}.`
  const unusable = wrong ?? (asked === '' || form !== undefined ? null : unknown)
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
  const { token } = profile
  const places = masked.flatMap(({ profile: one, places: own }) => own.map((place) => `${one.token} ${place}`))
  const newlyMasked = masked.reduce((sum, one) => sum + one.newlyMasked, 0)
  const addressOf = (form: string): string => `${profilerPath}/export?token=${token}&as=${form}`
  const files = Object.entries(exportFormats).map(([form, { label, ending }]): Line => [
    { linked: `.${ending}`, to: addressOf(form) },
    label,
  ])
  const shown = places.slice(0, maxPlaces).map((place) => recorded(cutText(place, 300)))
  const rest = places.length > maxPlaces ? [`and ${places.length - maxPlaces} more`] : []
  const masks: Block = { kind: 'fold', title: 'Masked values', block: { kind: 'list', items: [...shown, ...rest] } }
  const blocks: Blocks = [
    { kind: 'list', items: [{ profile: token, subject: cutText(pathLine(profile), 300) }] },
    note(problem !== null && recorded(problem)),
    ...(masked.length === 0
      ? []
      : [
          heading('Save as'),
          { kind: 'list', items: files } as const,
          heading('Before you share it'),
          text([summary(places.length, newlyMasked, masked.length), 'Masked values appear as', { code: mask }, '.']),
          text('Check the rest for secrets.'),
          shown.length === 0 ? null : masks,
        ]),
  ]
  return {
    status: problem === null ? 200 : 400,
    ignored,
    html: () => ({
      title: `Share: ${profileTitle(profile)}`,
      headline: pageTitle('Share a profile'),
      styles: [exportStyles],
      content: drawBlocks(blocks, 'file', { linkTo }),
    }),
    json: () => ({
      token,
      profiles: masked.length,
      places,
      newlyMasked,
      files: Object.fromEntries(Object.keys(exportFormats).map((form) => [form, addressOf(form)])),
      problem,
      ignored,
    }),
    markdown: () => `${[`# Export of ${codeSpan(token)}`, ...sectionTexts(blocks, codeSpan)].join('\n\n')}\n`,
  }
}

const exportStyles: SafeHtml = styleSheet(`
main > :is(h2, ul:first-child) { margin-top: var(--space-6) }
main > ul { overflow-wrap: anywhere }
`)

function summary(places: number, newlyMasked: number, profiles: number): string {
  const many = profiles === 1 ? 'this profile' : `this profile and its ${countOf(profiles - 1, 'sub-request')}`
  if (places === 0) return `Nothing in ${many} is masked.`
  const fresh = newlyMasked === 0 ? '' : `, ${newlyMasked} of them only for the export`
  return `${countOf(places, 'value')} in ${many} ${places === 1 ? 'is' : 'are'} masked${fresh}.`
}
