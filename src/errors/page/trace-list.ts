// Renders a chain of errors, outermost first: message, own properties, frames, members of an AggregateError.

import { emptyState } from '../../framework/html/components.ts'
import { html } from '../../framework/html/html.ts'
import type { SafeHtml } from '../../framework/html/html.ts'
import { cutText } from '../../framework/redact/cut-text.ts'
import type { ErrorChain, ErrorProperty, FlattenedError } from '../flattened-error.ts'
import { frameList } from './frame-list.ts'
import type { EditorLink, FrameOptions } from './frame-item.ts'
import { countOf, cutMark, PageBudget, verbatim } from './page-budget.ts'

export { traceStyles } from './error-page-styles.ts'

export interface TraceListOptions {
  /** Links places to the reader's editor. Default: no links. */
  readonly editor?: EditorLink | undefined
  /** Prefix of the ids of errors, `error-2`. Default `error`. */
  readonly idPrefix?: string
}

/** Bytes of a whole trace, and of highlighted source in it; after that, source is short and plain. */
const traceBytes = 340_000
const sourceBytes = 36_000
const maxErrors = 25
const maxMembers = 20
const maxDepth = 5
const maxProperties = 40

/** The errors of the chain, numbered `[n/m]` from the outermost (n = m) to the innermost (1); a sentence if it is empty. */
export function traceList(chain: ErrorChain, options: TraceListOptions = {}): SafeHtml {
  if (chain.errors.length === 0) return emptyState('No error was recorded.')
  return chainList(chain, {
    budget: new PageBudget(traceBytes),
    sourceBudget: new PageBudget(sourceBytes),
    editor: options.editor,
    id: options.idPrefix ?? 'error',
    depth: 0,
  })
}

/** Errors of a chain, with members and their causes. */
export function countErrors(chain: ErrorChain): number {
  let count = 0
  const open = [chain]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    count += next.errors.length
    for (const error of next.errors) open.push(...error.members)
  }
  return count
}

interface DrawOptions extends FrameOptions {
  readonly id: string
  readonly depth: number
}

function chainList(chain: ErrorChain, options: DrawOptions): SafeHtml {
  const errors = options.budget.list(chain.errors, (error, index) => errorCard(error, index, chain, options), {
    maxItems: maxErrors,
    rest: (missing) => cutMark(`${countOf(missing, 'more error')} not shown.`),
  })
  return html`<div class="trace">${errors}${chain.cut === null ? null : cutMark(`Cut here: ${chain.cut}.`)}</div>`
}

function errorCard(error: FlattenedError, index: number, chain: ErrorChain, options: DrawOptions): SafeHtml {
  const outer = index === 0 ? undefined : chain.errors[index - 1]
  const id = `${options.id}-${chain.errors.length - index}`
  const trace = outer === undefined ? null : { name: numberedName(index - 1, chain), frames: outer.frames }
  return html`<article class="card error" id="${id}" aria-labelledby="${id}-name">
    <header class="error-head">
      ${outer === undefined ? null : html`<p class="caused-by">Caused by</p>`}
      <h3 id="${id}-name">${numberedName(index, chain)}${codeMark(error)}</h3>
      <p class="error-message">${options.budget.spend(messageOf(error))}</p>
      ${thrownNote(error)}${propertyList(error.properties, options.budget)}
    </header>
    ${error.isError || error.frames.length > 0 ? frameList(error.frames, trace, options) : null}
    ${memberList(error, id, options)}
  </article> `
}

function numberedName(index: number, chain: ErrorChain): string {
  const total = chain.errors.length
  return `[${total - index}/${total}] ${cutText(chain.errors[index]?.className ?? '', 200)}`
}

function codeMark(error: FlattenedError): SafeHtml | null {
  return error.code === null ? null : html` <span class="badge">${cutText(error.code, 100)}</span>`
}

function thrownNote(error: FlattenedError): SafeHtml | null {
  if (error.isError) return null
  const trace = error.frames.length === 0 ? 'so no stack trace' : 'so the frames show where it was caught'
  return html`<p class="muted small">Not an Error object, ${trace}.</p>`
}

function messageOf(error: FlattenedError): SafeHtml {
  if (error.message !== '') return verbatim(error.message, 8192)
  return html`<span class="muted">${error.isError ? 'This error has no message.' : 'The value has no message.'}</span>`
}

function propertyList(properties: readonly ErrorProperty[], budget: PageBudget): SafeHtml | null {
  if (properties.length === 0) return null
  const items = budget.list(properties, (property) => budget.spend(propertyItem(property)), {
    maxItems: maxProperties,
    rest: (missing) => html`<li class="muted">${countOf(missing, 'more property', 'more properties')} not shown.</li>`,
  })
  return html`<ul class="properties" aria-label="Own properties">
    ${items}
  </ul>`
}

function propertyItem({ name, value }: ErrorProperty): SafeHtml {
  return html`<li><code>${verbatim(`${cutText(name, 200)}: ${value}`, 2200)}</code></li> `
}

function memberList(error: FlattenedError, id: string, options: DrawOptions): SafeHtml | null {
  if (error.members.length === 0) return null
  const heading = html`<h4>${countOf(error.members.length, 'error')} in this ${error.className}</h4>`
  if (options.depth >= maxDepth)
    return html`<div class="members">${heading}${cutMark('Left out: nested too deeply.')}</div>`
  const members = options.budget.list(
    error.members,
    (member, index) => chainList(member, { ...options, id: `${id}-${index + 1}`, depth: options.depth + 1 }),
    { maxItems: maxMembers, rest: (missing) => cutMark(`${countOf(missing, 'more error')} not shown.`) },
  )
  return html`<div class="members">${heading}${members}</div>`
}
