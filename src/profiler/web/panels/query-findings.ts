// Which queries ran too often: N+1 and duplicates, one note for each query.

import { cutText } from '../../../framework/redact/cut-text.ts'
import type { DatabaseData, QueryGroup, Repeat } from '../../capture/database-data.ts'
import { fold, formatDuration } from '../../../framework/html/components.ts'
import { html, type SafeHtml } from '../../../framework/html/html.ts'
import { countOf, type PageBudget } from '../../../errors/page/page-budget.ts'
import { placeLink, type EditorLink } from '../../../errors/page/editor-link.ts'

const openNotes = 5
const namedPlaces = 3

/** Repeats of one query: of the same shape with other values, and of the very same. */
interface QueryRepeats {
  readonly nPlusOnes: readonly Repeat[]
  readonly duplicates: readonly Repeat[]
}

/** A note for each repeated query, N+1 first, then by how many runs it is about. */
export function queryFindings({ findings, groups }: DatabaseData, budget: PageBudget, editor?: EditorLink): SafeHtml {
  const notes = [...byGroup(findings)]
    .toSorted(([, one], [, other]) => weight(other) - weight(one))
    .map(([index, repeats]) => note(groups[index], index, repeats, editor))
  for (const one of notes) budget.spend(one)
  const [open, folded] = [notes.slice(0, openNotes), notes.slice(openNotes)]
  const title = `${countOf(folded.length, 'more query', 'more queries')} repeated too often`
  return html`${open} ${folded.length === 0 ? null : fold(title, folded)}`
}

export function findingMarks(findings: readonly Repeat[], group: number): readonly string[] {
  const kinds = new Set(findings.filter((finding) => finding.group === group).map(({ kind }) => kind))
  return [...(kinds.has('n+1') ? ['N+1'] : []), ...(kinds.has('duplicate') ? ['duplicates'] : [])]
}

export function findingCount(findings: readonly Repeat[]): number {
  return new Set(findings.map(({ group }) => group)).size
}

export function groupAnchor(index: number): string {
  return `query-${index + 1}`
}

function byGroup(findings: readonly Repeat[]): ReadonlyMap<number, QueryRepeats> {
  const groups = new Map<number, { nPlusOnes: Repeat[]; duplicates: Repeat[] }>()
  for (const finding of findings) {
    const known = groups.get(finding.group) ?? { nPlusOnes: [], duplicates: [] }
    groups.set(finding.group, known)
    known[finding.kind === 'n+1' ? 'nPlusOnes' : 'duplicates'].push(finding)
  }
  return groups
}

/** An N+1 grows with the data, a duplicate does not: it comes after all of them. */
function weight({ nPlusOnes, duplicates }: QueryRepeats): number {
  return sum(nPlusOnes, ({ count }) => count) * 1_000_000 + sum(duplicates, ({ count }) => count)
}

function note(
  group: QueryGroup | undefined,
  index: number,
  { nPlusOnes, duplicates }: QueryRepeats,
  editor: EditorLink | undefined,
): SafeHtml {
  const text = html`<a href="#${groupAnchor(index)}"><code>${cutText(group?.text ?? '', 300)}</code></a>`
  const isBoth = nPlusOnes.length > 0 && duplicates.length > 0
  return html`<div class="note tone-warning finding">
    ${nPlusOnes.length === 0 ? null : nPlusOneLine(nPlusOnes, text, editor)}
    ${duplicates.length === 0 ? null : duplicateLine(duplicates, isBoth ? null : text, editor)}
  </div> `
}

function nPlusOneLine(repeats: readonly Repeat[], text: SafeHtml, editor: EditorLink | undefined): SafeHtml {
  const count = sum(repeats, (one) => one.count)
  return html`<p>
    <b>N+1:</b> ${text} ran ${count} times ${places(repeats, editor)} with different values (${timeOf(repeats)}).
    ${remedy(repeats)}
  </p>`
}

/** What a resolver sends can only be gathered by what is below it. */
function remedy(repeats: readonly Repeat[]): SafeHtml {
  const fields = [...new Set(repeats.flatMap(({ field }) => field ?? []))]
  if (fields.length === 0) return html`Load them with one query.`
  return html`Each call of the resolver
    ${fields.map((field, index) => html`${index === 0 ? '' : ', '}<code>${field}</code>`)} sent one. Gather the keys of
    all calls, with <code>dataloader</code> for example, and load them with one query.`
}

/** `text` is `null` below a line that has it. */
function duplicateLine(repeats: readonly Repeat[], text: SafeHtml | null, editor: EditorLink | undefined): SafeHtml {
  const count = sum(repeats, (one) => one.count)
  if (repeats.length === 1) {
    return html`<p>
      <b>Duplicate:</b> ${text ?? 'it'} ran ${count} times with the same values, ${places(repeats, editor)}
      (${timeOf(repeats)}). Once is enough.
    </p>`
  }
  return html`<p>
    <b>Duplicates:</b> ${text ?? 'it'} ran ${count} times with only ${repeats.length} different sets of values,
    ${places(repeats, editor)} (${timeOf(repeats)}). ${count - repeats.length} are exact repeats.
  </p>`
}

/** Where they come from, the place with the most first: `from src/a.ts:12 (40 ×) and src/b.ts:9 (3 ×)`. */
export function places(
  repeats: readonly Pick<Repeat, 'callSite' | 'count'>[],
  editor: EditorLink | undefined,
): SafeHtml {
  const counts = new Map<string, number>()
  let elsewhere = 0
  for (const { callSite, count } of repeats) {
    if (callSite === null) elsewhere += count
    else counts.set(callSite, (counts.get(callSite) ?? 0) + count)
  }
  const known = [...counts].toSorted((one, other) => other[1] - one[1])
  const named = known.slice(0, namedPlaces)
  elsewhere += sum(known.slice(namedPlaces), ([, count]) => count)
  if (named.length === 0) return html`from several or unknown places`
  const isOne = named.length === 1 && elsewhere === 0
  return html`from
  ${named.map(([site, count], index) => html`${index === 0 ? '' : ', '}${placeLink(site, editor)}${isOne ? null : ` (${count} ×)`}`)}${elsewhere === 0 ? null : ` and elsewhere (${elsewhere} ×)`}`
}

function timeOf(repeats: readonly Repeat[]): string {
  return `${formatDuration(sum(repeats, ({ totalMs }) => totalMs))} total`
}

function sum<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((total, item) => total + of(item), 0)
}
