// The page of a question: its form and buttons, what it found as HTML, JSON and Markdown, and what cannot be used.

import { codeSpan } from '../base/markdown-text.ts'
import { html, type SafeHtml, styleSheet } from '../base/html/html.ts'
import { parseQuery } from '../base/http/query.ts'
import type { HttpRequest } from '../base/http/request.ts'
import { toSections } from '../observe/blocks/sections.ts'
import { gathererOf, Gathering } from '../profiles/gather.ts'
import type { Blocks, PageLink } from '../observe/blocks/blocks.ts'
import type { PlannedQuery } from '../observe/outgoing/query-plans.ts'
import { filters } from '../profiles/query/filters.ts'
import { untrustedSpans } from '../profiles/profile-facts.ts'
import { QuestionError, readTexts } from './question.ts'
import type { Asked, Parameter, Question, QuestionSources } from './question.ts'
import { blockStyles, drawBlocks, wideStyles } from './draw-blocks.ts'
import { textField } from './form-parts.ts'
import { filterStyles, listForm, listFormId } from './list-form.ts'
import { ListQuery } from './list-query.ts'
import { fromStore, type PageAnswer, type PageTools, type ProfilerPage } from './profiler-page.ts'
import { quoted } from '../base/redact/cut-text.ts'
import { readValues, unknownNames } from './query-values.ts'
import { newsOf, renewedBar, renewedPart, renewedStyles, renewScript } from './renewed.ts'

/** What a question lets people change, above what it found. */
export type QuestionForm = (found: object, tools: PageTools) => SafeHtml | null

/** 400 for a filter or a parameter that cannot be used; the status of a QuestionError. */
export function questionPage(question: Question, form?: QuestionForm): ProfilerPage {
  return async ({ request }, tools) => {
    const read = readQuery(question, request, tools.options)
    const { problems, list } = read
    if (problems.length > 0 && list === undefined) return problemPage(question, problems, 400, read, tools)
    // The response has its form, with nothing in it.
    const sources = problems.length === 0 ? tools.options : { ...tools.options, profiles: noProfiles }
    const found = await fromStore(async () => question.ask(sources, read.asked).catch(asProblem))
    if (found instanceof QuestionError) return problemPage(question, [found.message], found.status, read, tools)
    if (found === undefined) return tools.missing
    const isNew =
      list?.isFiltered === false && (await fromStore(async () => tools.options.profiles.stats())).count === 0
    return answerOf(question, found, { ...read, isNew }, tools, form)
  }
}

function asProblem(error: unknown): QuestionError {
  if (error instanceof QuestionError) return error
  throw error
}

/** Of a value, which may be a whole URL. */
const maxUrlLength = 2000

interface ReadQuery {
  readonly asked: Asked
  /** Default: the filters do not narrow the question. */
  readonly list: ListQuery | undefined
  /** Parameters as they were typed. */
  readonly typed: Texts
  /** One sentence each. */
  readonly problems: readonly string[]
  readonly ignored: readonly string[]
}

type Texts = Readonly<Record<string, string>>

function readQuery(
  { parameters, isFiltered, rows }: Question,
  base: HttpRequest,
  options: PageTools['options'],
): ReadQuery {
  const { rawQuery } = base
  const query = parseQuery(rawQuery)
  const names = Object.keys(parameters)
  const list = isFiltered === true ? new ListQuery(rawQuery, names, rows) : undefined
  const { misspelt, foreign } =
    list === undefined ? unknownNames(query, names) : { misspelt: list.problems, foreign: list.ignored }
  const problems = [...misspelt]
  const labels = Object.fromEntries(Object.entries(parameters).map(([name, { label }]) => [name, label]))
  const typed = [...readValues(query, labels, problems, maxUrlLength)].filter(([, text]) => text !== '')
  const values = readTexts(parameters, new Map(typed), (_, text, { label, what = 'valid', use }) =>
    problems.push(`${label}: ${quoted(text)} is not ${what}. Use ${use}.`),
  )
  const asked = {
    values,
    filter: list?.filter ?? {},
    limit: list?.limit,
    settingPrefix: options.settingPrefix ?? 'APP_',
    base,
  }
  return { asked, list, typed: Object.fromEntries(typed), problems, ignored: foreign }
}

const noProfiles: QuestionSources['profiles'] = {
  find: async () => ({ items: [], next: null, newest: '' }),
  group: async (_, by) => ({ by, groups: [], count: 0, isCut: false, omitted: 0 }),
  gather: async (_, asked) => new Gathering(gathererOf(asked)).found(false),
  read: async () => undefined,
  stats: async () => ({ count: 0, bytes: 0, maxCount: 0, maxBytes: 0, maxAgeMs: 0 }),
}

function answerOf(
  question: Question,
  found: NonNullable<Awaited<ReturnType<Question['ask']>>>,
  { asked, list, typed, problems, ignored, isNew }: ReadQuery & { readonly isNew: boolean },
  tools: PageTools,
  changing?: QuestionForm,
): PageAnswer {
  const { name, isRenewed, searches, foldsFilters: isFolded } = question
  const {
    options: { profilerPath, editor, plans },
    linkTo,
  } = tools
  const title = question.title(asked)
  const isOfOne = question.isOfOne?.(asked) === true
  const drawn = problems.length === 0 ? question.draw(found, asked) : []
  // Nothing is recorded yet: one sentence.
  const blocks = isNew ? drawn.filter((block) => block?.kind === 'empty') : drawn
  const pageTo = ({ page, with: given, isBare = list === undefined }: Omit<PageLink, 'text'>): string => {
    // What leads to more rows leads to the same page.
    const parts = 'limit' in given ? { ...typed, ...given } : given
    return `${profilerPath}/${page}?${isBare ? String(new URLSearchParams(parts)) : list?.with(parts)}`
  }
  const explains = (query: PlannedQuery): boolean => plans?.knows(query) === true
  const own = (parts: Texts): string => pageTo({ page: name, with: { ...typed, ...parts } })
  return {
    problems,
    ignored,
    missing: found.missing,
    html: () => {
      const offered = buttons({ question, asked, found, list, own, pageTo })
      const filled =
        list === undefined
          ? fields(question, typed, profilerPath, offered)
          : listForm(list, profilerPath, { path: name, isFolded, ...partsOf(question, typed) })
      const form = isOfOne ? null : filled
      const changes = changing?.(found, tools) ?? null
      // Below what they change, which is the first of one thing, and all of a list.
      const head = isOfOne ? blocks.findIndex((block) => block?.kind === 'heading') : blocks.length
      const draw = (some: Blocks): SafeHtml =>
        drawBlocks(some, 'entry', { linkTo, editor, pageTo, sortTo: (sort) => own({ sort }), explains })
      const content = html`${isNew || (list === undefined && form !== null) ? null : offered}
      ${draw(blocks.slice(0, head))}${changes} ${draw(blocks.slice(head))}`
      const news = isRenewed === true ? null : newsOf(profilerPath)
      const above = html`${form} ${isRenewed === undefined ? null : renewedBar({ address: own({}), news })}`
      const liveStyles = isRenewed === undefined ? [] : [renewedStyles]
      return {
        title: question.heading?.(found) ?? title,
        tone: question.tone?.(found) ?? 'neutral',
        content: html`${isNew ? html`<div class="list-head is-new">${above}</div>` : above}
        ${isRenewed === undefined ? content : renewedPart(content)}`,
        styles: [filterStyles, blockStyles, wideStyles, ...liveStyles, questionStyles],
        ...(isRenewed !== undefined && { scripts: [renewScript] }),
        ...(list !== undefined &&
          !isOfOne && { search: { text: list.value('search'), form: listFormId, hint: searches } }),
      }
    },
    json: () => ({ problems, ignored, ...found }),
    markdown: () => sectionsMarkdown(title, toSections(blocks, codeSpan)),
  }
}

function problemPage(
  question: Question,
  problems: readonly string[],
  status: number,
  { asked, typed, ignored }: ReadQuery,
  { options: { profilerPath } }: PageTools,
): PageAnswer {
  const title = question.title(asked)
  return {
    status,
    problems,
    ignored,
    html: () => ({ title, content: html`${fields(question, typed, profilerPath)}`, styles: [questionStyles] }),
    json: () => ({ error: problems.join(' '), ignored }),
    markdown: () => `# ${title}\n`,
  }
}

/** What the address says beside the filters: what has a field, and the rest. */
function partsOf({ parameters }: Question, typed: Texts) {
  const fields = Object.entries(parameters).flatMap(([name, { field }]) =>
    field === undefined ? [] : [{ name, value: typed[name] ?? '', ...field }],
  )
  return { fields, parts: Object.entries(typed).filter(([name]) => parameters[name]?.field === undefined) }
}

/** A form for each button of a field; it keeps what the others say. */
function fields(
  question: Question,
  typed: Texts,
  profilerPath: string,
  beside: SafeHtml | null = null,
): SafeHtml | null {
  const { fields: found } = partsOf(question, typed)
  if (found.length === 0) return null
  const ends = found.flatMap(({ button }, index) => (button === undefined ? [] : [index + 1]))
  const forms = ends.map((end, index) => {
    const own = found.slice(ends[index - 1] ?? 0, end)
    const kept = Object.entries(typed).filter(([name]) => !own.some((field) => field.name === name))
    return html`<form class="row question-form" action="${profilerPath}/${question.name}">
      ${own.map((field) => textField({ ...field, className: field.isShort === true ? 'short' : '' }))}
      ${kept.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
      <button class="button">${own.at(-1)?.button}</button>
    </form>`
  })
  return html`<div class="row spread question-forms screen-only">${forms}${beside}</div>`
}

/** Values of the filter `since`. */
const windows = { '': 'All', '1h': 'Last hour', '10m': '10 minutes', '1m': 'Last minute' } as const

interface ButtonsView {
  readonly question: Question
  readonly asked: Asked
  readonly found: Parameters<Question['draw']>[0]
  readonly list: ListQuery | undefined
  readonly own: (parts: Texts) => string
  readonly pageTo: (link: PageLink) => string
}

function buttons({ question, asked, found, list, own, pageTo }: ButtonsView): SafeHtml | null {
  const { parameters, links, hasWindows, isOfOne } = question
  const windowed = { label: filters.since.label, buttons: hasWindows === true ? windows : {}, default: '' }
  const choices = [
    ...choicesOf('since', windowed, list?.value('since'), own),
    ...Object.entries(isOfOne?.(asked) === true ? {} : parameters).flatMap(([name, one]) =>
      one.isOffered?.(asked.values) === false ? [] : choicesOf(name, one, asked.values[name], own),
    ),
  ]
  if (choices.length === 0 && links === undefined) return null
  return html`<nav class="row choices screen-only" aria-label="${choices[0]?.label ?? 'More'}">
    ${choices.map(({ link }) => link)}
    ${links?.(asked, found).map((link) => html`<a href="${pageTo(link)}">${link.text}</a> `)}
  </nav>`
}

function choicesOf(
  name: string,
  { label, buttons: texts = {}, default: usual }: Pick<Parameter, 'label' | 'buttons' | 'default'>,
  current: unknown,
  own: (parts: Texts) => string,
): readonly { readonly label: string; readonly link: SafeHtml }[] {
  return Object.entries(texts).map(([value, text]) => {
    const isCurrent = value === (current ?? '')
    const href = own({ [name]: value === usual ? '' : value })
    return { label, link: html`<a class="button" href="${href}" aria-current="${isCurrent && 'page'}">${text}</a> ` }
  })
}

/** What was recorded is in code spans. */
export function sectionsMarkdown(title: string, [first, ...others]: ReturnType<typeof toSections>): string {
  const parts = [
    `# ${title}`,
    first?.text,
    first === undefined || first.items.length === 0 ? undefined : untrustedSpans,
    first?.items.join('\n'),
    ...others.flatMap((section) => [`## ${section.title}`, section.text, section.items.join('\n')]),
  ]
  return `${parts.filter((part) => part !== undefined && part !== '').join('\n\n')}\n`
}

const questionStyles: SafeHtml = styleSheet(`
main > .choices:first-child { margin-top: var(--space-6) }
main > p > b { color: var(--text) }
main > .note:first-child { margin-top: var(--space-4) }
main > h2 { margin: var(--space-6) 0 var(--space-3) }
main > .live-bar { float: right; margin-top: var(--space-3) }
.live-bar ~ [data-renewed] > .empty { clear: right }
.live-bar ~ [data-renewed] > p:first-child { margin: var(--space-3) 0; line-height: 2rem }
main > .live-bar:has(+ [data-renewed] > p:first-child) { margin-top: 0 }
@media (max-width: 40rem) {
  main > .choices, [data-renewed] > .choices { gap: var(--space-1) }
  .choices .button { min-height: 1.75rem; padding: 0 .25rem; font-size: var(--size-small) }
  .list-filters:not(:has(.narrow-fold[open])) + .live-bar { margin-top: -2.5rem }
}
.question-forms { align-items: end; margin: var(--space-2) 0 var(--space-3) }
.question-forms > .choices { margin: 0 }
.question-form { flex-wrap: nowrap; align-items: end; gap: var(--space-2); min-width: 0 }
.question-form label { display: grid; gap: 2px; width: 20rem; min-width: 0; font-size: var(--size-small); color: var(--muted) }
.question-form .short { width: 5rem }
main > form { margin-top: var(--space-3) }
.question-form .field { width: 100%; min-width: 0 }
@media (max-width: 40rem) { .question-form { flex: 1 1 100% } }
`)
