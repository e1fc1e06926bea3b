// Renders a chain of errors as steps, outermost first. The step nearest to the reader's code is unfolded: source with the hint in
// it, where values come from, stack trace, members of an AggregateError.

import { badge, emptyState, fold } from '../../framework/html/components.ts'
import { html, type SafeHtml } from '../../framework/html/html.ts'
import { cutText } from '../../framework/redact/cut-text.ts'
import type { ErrorChain, FlattenedError, Frame } from '../flattened-error.ts'
import { framePlace } from '../trace-lines.ts'
import type { Explanation } from '../value-origin.ts'
import { candidateList, hintCards, originList } from './explanation.ts'
import { frameList, type OuterTrace, leadFrame, type FrameOptions } from './frame-list.ts'
import type { EditorLink } from './editor-link.ts'
import { errorName } from './headline.ts'
import { countOf, cutMark, PageBudget, verbatim } from './page-budget.ts'

interface TraceListOptions extends Partial<Explanation> {
  /** Links places to the reader's editor. Default: no links. */
  readonly editor?: EditorLink | undefined
  /** Whether a headline above shows class and message of the outermost error. Default: it does not. */
  readonly isUnderHeadline?: boolean
  /** Whether all errors are folded. Default: one is not. */
  readonly isFolded?: boolean
}

/** Bytes of a whole trace, and of highlighted source in it; after that, source is short and plain. */
const traceBytes = 340_000
const sourceBytes = 30_000
const originBytes = 20_000
const maxErrors = 25
const maxMembers = 20
const maxDepth = 5
/** Steps of a longer chain are folded between the first, the unfolded and the last one. */
const stepsInView = 4

/** The errors of the chain, numbered `[n/m]` from the outermost (n = m) to the innermost (1); a sentence if it is empty. */
export function traceList(chain: ErrorChain, options: TraceListOptions = {}): SafeHtml {
  if (chain.errors.length === 0) return emptyState('No error was recorded.')
  const { editor, hints = [], origins = [], candidates = [], isFolded = false } = options
  const explanation = { hints, origins, candidates }
  return html`<div class="trace">
    ${isFolded ? hintCards(hints) : null}${candidateList(candidates, editor)}
    ${stepList(chain, isFolded ? null : explanation, {
      budget: new PageBudget(traceBytes),
      sourceBudget: new PageBudget(sourceBytes),
      shown: new Set(),
      editor,
      id: 'error',
      depth: 0,
      isUnderHeadline: options.isUnderHeadline ?? false,
      outer: null,
    })}
  </div>`
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
  readonly isUnderHeadline: boolean
  /** The error above the outermost one of the chain. */
  readonly outer: OuterTrace | null
}

/** `explanation`: of the step that is unfolded; `null` if none is. */
function stepList(chain: ErrorChain, explanation: Explanation | null, options: DrawOptions): SafeHtml {
  const { errors } = chain
  const last = Math.min(errors.length, maxErrors) - 1
  const chosen = explanation === null ? -1 : chosenError(errors)
  const isInView = (index: number): boolean =>
    errors.length <= stepsInView || index === 0 || index === chosen || index >= last
  const runs: number[][] = []
  for (let index = 0; index <= last; index += 1) {
    const run = runs.at(-1)
    if (!isInView(index) && run !== undefined && !isInView(run[0] ?? 0)) run.push(index)
    else runs.push([index])
  }
  const draw = (index: number): SafeHtml => step(chain, index, index === chosen ? explanation : null, options)
  const steps = options.budget.list(
    runs,
    (run) =>
      run.length === 1
        ? draw(run[0] ?? 0)
        : fold(countOf(run.length, 'more cause'), run.map(draw), { className: 'more-steps' }),
    { rest: () => cutMark(`${countOf(errors.length, 'error')}: the page is full.`) },
  )
  const missing = errors.length - last - 1
  return html`<div class="card steps">
    ${steps}${missing > 0 ? cutMark(`${countOf(missing, 'more error')} not shown.`) : null}${chain.cut === null ? null : cutMark(`Cut here: ${chain.cut}.`)}
  </div>`
}

/** The innermost error with source of the application; without one, the root cause. */
function chosenError(errors: readonly FlattenedError[]): number {
  const own = errors.findLastIndex(hasOwnSource)
  return own < 0 ? Math.min(errors.length, maxErrors) - 1 : own
}

function hasOwnSource({ frames, members }: FlattenedError): boolean {
  return leadOf(frames) !== undefined || members.some(({ errors }) => errors.some(hasOwnSource))
}

function leadOf(frames: readonly Frame[]): Frame | undefined {
  return frames.find(({ origin, excerpt }) => origin === 'own' && excerpt !== null)
}

function step(chain: ErrorChain, index: number, explanation: Explanation | null, options: DrawOptions): SafeHtml {
  const total = chain.errors.length
  const error = chain.errors[index]
  if (error === undefined) return html``
  const id = `${options.id}-${total - index}`
  const body = html`<div class="step-body">${stepBody(chain, index, explanation, { ...options, id })}</div>`
  const hasHeadline = options.isUnderHeadline && index === 0
  if (hasHeadline && total === 1) return html`<section class="step" id="${id}" aria-label="Exception">${body}</section>`
  const place = leadOf(error.frames) ?? error.frames.find(({ origin }) => origin === 'own')
  return html`<details class="step" name="${options.id}" id="${id}" open="${explanation !== null}">
    <summary class="step-row">
      ${errorName(error, `[${total - index}/${total}]`)}
      ${hasHeadline ? null : html`<span class="step-message">${options.budget.spend(messageOf(error))}</span>`}
      ${total > 1 && index === total - 1 ? badge('root cause', 'error') : null}
      ${place === undefined ? null : html`<code class="step-place">${cutText(`${place.file}:${place.line}`, 200)}</code>`}
    </summary>
    ${body}
  </details> `
}

function stepBody(chain: ErrorChain, index: number, explanation: Explanation | null, options: DrawOptions): SafeHtml {
  const { errors } = chain
  const error = errors[index]
  if (error === undefined) return html``
  const above = errors[index - 1]
  const outer = above === undefined ? options.outer : { name: nameOf(chain, index - 1), frames: above.frames }
  const lead = leadOf(error.frames)
  const isRepeated = lead !== undefined && explanation === null && options.shown.has(framePlace(lead))
  const [first, ...others] = explanation?.hints ?? []
  const isAtLead = lead !== undefined && first !== undefined
  // An AggregateError without own code hands origins down to its first member; which member the hints are about is not known.
  const isHandedDown = lead === undefined && error.members.length > 0 && explanation !== null
  return html`${thrownNote(error)}${isAtLead ? null : hintCards(first === undefined ? [] : [first, ...others])}
  ${lead === undefined || isRepeated ? null : leadFrame(lead, { ...options, note: isAtLead ? hintCards([first]) : null, isInSight: explanation !== null })}
  ${isAtLead ? hintCards(others) : null}${isHandedDown ? null : originList(explanation?.origins ?? [], { editor: options.editor, budget: new PageBudget(originBytes) })}
  ${isHandedDown ? memberList(chain, error, { ...explanation, hints: [] }, { ...options, outer }) : null}
  ${error.frames.length > 0 || (error.isError && error.members.length === 0) ? frameList(error.frames, outer, { ...options, lead: isRepeated ? undefined : lead }) : null}
  ${isHandedDown ? null : memberList(chain, error, null, { ...options, outer })}`
}

function nameOf(chain: ErrorChain, index: number): string {
  const total = chain.errors.length
  return `[${total - index}/${total}] ${cutText(chain.errors[index]?.className ?? '', 200)}`
}

function thrownNote(error: FlattenedError): SafeHtml | null {
  if (error.isError) return null
  const trace = error.frames.length === 0 ? 'so no stack trace' : 'so the frames show where it was caught'
  return html`<p class="muted small step-note">Not an Error object, ${trace}.</p>`
}

function messageOf(error: FlattenedError): SafeHtml {
  if (error.message !== '') return verbatim(error.message, 8192)
  return html`<span class="muted">${error.isError ? 'This error has no message.' : 'The value has no message.'}</span>`
}

/** Frames that members share are shown with the first of them. */
function memberList(
  chain: ErrorChain,
  error: FlattenedError,
  explanation: Explanation | null,
  options: DrawOptions,
): SafeHtml | null {
  const { members, frames } = error
  if (members.length === 0) return null
  const heading = html`<p class="small muted">
    ${countOf(members.length, 'error')} in this ${cutText(error.className, 200)}
  </p>`
  if (options.depth >= maxDepth)
    return html`<div class="members">${heading}${cutMark('Left out: nested too deeply.')}</div>`
  const first = members[0]?.errors[0]
  const drawn = options.budget.list(
    members,
    (member, index) =>
      stepList(member, index === 0 ? (explanation ?? noExplanation) : null, {
        ...options,
        id: `${options.id}-${index + 1}`,
        depth: options.depth + 1,
        isUnderHeadline: false,
        outer:
          index > 0 && first !== undefined
            ? { name: 'the first', frames: first.frames }
            : { name: nameOf(chain, chain.errors.indexOf(error)), frames },
      }),
    { maxItems: maxMembers, rest: (missing) => cutMark(`${countOf(missing, 'more error')} not shown.`) },
  )
  return html`<div class="members">${heading}${drawn}</div>`
}

const noExplanation: Explanation = { hints: [], origins: [], candidates: [] }
