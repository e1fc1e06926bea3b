// Renders a chain of errors as steps, outermost first. The step nearest to the reader's code is unfolded: source with the hint in
// it, where values come from, stack trace, members of an AggregateError. Library frames are folded;
// frames shared with the error above are counted.

import { runsOf } from '../../base/members.ts'
import { badge, emptyState, fold } from '../../base/html/components.ts'
import { html, type SafeHtml } from '../../base/html/html.ts'
import { cutText } from '../../base/redact/cut-text.ts'
import type { ErrorChain, FlattenedError, Frame, SourceExcerpt } from '../flattened-error.ts'
import { framePlace, changeMark, groupFrames, groupTitle, packageOf, repeatsText } from '../trace-lines.ts'
import type { FrameGroup } from '../trace-lines.ts'
import { firstPlace, type Hint } from '../hints/hint.ts'
import type { Explanation } from '../value-origin.ts'
import { candidateList, hintCards, originList } from './explanation.ts'
import { type EditorLink, placeLink } from '../../http/config/editor-link.ts'
import { errorName } from './headline.ts'
import { countOf, cutMark, PageBudget, verbatim } from '../../base/html/page-budget.ts'
import { Drawn } from '../drawn.ts'
import { sourceList } from './source-list.ts'

interface TraceListOptions extends Partial<Explanation> {
  /** Links places to the reader's editor. Default: no links. */
  readonly editor?: EditorLink | undefined
  /** Whether a headline above shows class and message of the outermost error. Default: it does not. */
  readonly isUnderHeadline?: boolean
  /** Whether all errors are folded, and nothing explains them. Default: no. */
  readonly isFolded?: boolean
  /** Pieces of other pages. Default: none. */
  readonly drawn?: Drawn<SafeHtml> | undefined
}

/** Bytes of a whole trace, and of highlighted source in it; after that, source is short and plain. */
const traceBytes = 340_000
const sourceBytes = 16_000
const originBytes = 20_000
const maxErrors = 25
const maxMembers = 20
const maxDepth = 5
/** Steps of a longer chain are folded between the first, the unfolded and the last one. */
const stepsInView = 4

/** The errors of the chain, numbered `[n/m]` from the outermost (n = m) to the innermost (1); a sentence if it is empty. */
export function traceList(chain: ErrorChain, options: TraceListOptions = {}): SafeHtml {
  if (chain.errors.length === 0) return emptyState('No error was recorded.')
  const { editor, hints = [], origins = [], candidates = [], isFolded = false, drawn = new Drawn() } = options
  const explanation = { hints, origins, candidates }
  return html`<div class="trace">
    ${isFolded ? null : candidateList(candidates, editor, drawn)}
    ${stepList(chain, isFolded ? null : explanation, {
      budget: new PageBudget(traceBytes),
      sourceBudget: new PageBudget(sourceBytes),
      shown: new Set(),
      editor,
      drawn,
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
  /** Whether what is explained is folded: another member is open. Default: no. */
  readonly isClosed?: boolean
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
  const shown = Array.from({ length: last + 1 }, (_, index) => index)
  const runs = runsOf(shown, (one, other) => !isInView(one) && !isInView(other))
  const draw = (index: number): SafeHtml => step(chain, index, index === chosen ? explanation : null, options)
  const steps = options.budget.list(
    runs,
    (run) =>
      run.length === 1
        ? draw(run[0])
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
  const isOpen = explanation !== null && options.isClosed !== true
  return html`<details class="step" name="${options.id}" id="${id}" open="${isOpen}">
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
  // An AggregateError without own code hands down what explains it.
  const isHandedDown = lead === undefined && error.members.length > 0 && explanation !== null
  const hints = explanation?.hints ?? []
  const [first, ...others] = isHandedDown && explainedMember(error, hints) >= 0 ? [] : hints
  const isAtLead = lead !== undefined && first !== undefined
  return html`${first === undefined || error.frames.length > 0 ? thrownNote(error) : null}${isAtLead ? null : hintCards(first === undefined ? [] : [first, ...others])}
  ${lead === undefined || isRepeated ? null : leadFrame(lead, { ...options, note: isAtLead ? hintCards([first]) : null, isInSight: explanation !== null })}
  ${isAtLead ? hintCards(others) : null}${isHandedDown ? null : originList(explanation?.origins ?? [], { ...options, budget: new PageBudget(originBytes) })}
  ${isHandedDown ? memberList(chain, error, explanation, { ...options, outer }) : null}
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

/** Index of the member that hints are about; -1 if that is not known. */
function explainedMember({ members }: FlattenedError, hints: readonly Hint[]): number {
  const places = new Set(hints.map(({ place }) => place))
  return members.findIndex(({ errors }) =>
    errors.map(firstPlace).some((place) => place !== undefined && places.has(place)),
  )
}

/** What explains the errors: hints in the member that they are about, which is open, and origins in the first one. Frames that members share are shown there. */
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
  const { hints, origins } = explanation ?? noExplanation
  const explained = explainedMember(error, hints)
  const open = Math.max(0, explained)
  const explanationOf = (index: number): Explanation => {
    return { hints: index === explained ? hints : [], origins: index === 0 ? origins : [], candidates: [] }
  }
  const drawn = options.budget.list(
    members,
    (member, index) =>
      stepList(member, index === 0 || index === open ? explanationOf(index) : null, {
        ...options,
        isClosed: index !== open,
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

/** The error that this one caused. Frames that both share are shown there. */
export interface OuterTrace {
  /** `[2/2] NotFoundHttpError`. */
  readonly name: string
  readonly frames: readonly Frame[]
}

const maxFrames = 100

/**
 * The frames, innermost first, without the first one if it is `lead`, which is above with its source; a sentence if there are
 * none. `outer` is the error above, which this one caused.
 */
export function frameList(
  frames: readonly Frame[],
  outer: OuterTrace | null,
  options: FrameOptions & { readonly lead?: Frame | undefined },
): SafeHtml | null {
  if (frames.length === 0) return html`<p class="frames-none muted small">No stack trace.</p>`
  const all = groupFrames(frames.slice(0, maxFrames), outer?.frames)
  const groups = options.lead === frames[0] ? all.slice(1) : all
  if (groups.length === 0) return null
  const items = options.budget.list(groups, (group) => groupItem(group, outer, options), {
    rest: (missing) =>
      html`<li>${cutMark(`${countOf(missing, 'more group')} of frames not shown: the page is full.`)}</li>`,
  })
  const rest = frames.length - maxFrames
  return html`<ol class="frames" aria-label="Stack trace">
    ${items}${rest > 0 ? html`<li>${cutMark(`${countOf(rest, 'more frame')} not shown.`)}</li>` : null}
  </ol>`
}

function groupItem(group: FrameGroup, outer: OuterTrace | null, options: FrameOptions): SafeHtml {
  if (group.kind === 'single') return frameItem(group.frame, options)
  const title = cutText(groupTitle(group, outer?.name), 300)
  if (group.kind === 'shared') return options.budget.spend(html`<li class="frame-line muted">${title}</li> `)
  const items = options.budget.list(group.frames, (frame) => frameItem(frame, options), { rest: restOfFrames })
  return html`<li>
    ${fold(
      title,
      html`<ol class="frames">
        ${items}
      </ol>`,
      { className: 'run' },
    )}
  </li> `
}

function restOfFrames(missing: number): SafeHtml {
  return html`<li>${cutMark(`${countOf(missing, 'more frame')} not shown: the page is full.`)}</li>`
}

export interface FrameOptions {
  /** Bytes of the whole section. */
  readonly budget: PageBudget
  /** Bytes for highlighted source; after that, source is short and plain. */
  readonly sourceBudget: PageBudget
  readonly editor?: EditorLink | undefined
  /** Places whose source is on the page already. */
  readonly shown: Set<string>
  readonly drawn: Drawn<SafeHtml>
}

/** Lines before and after: of the frame in sight, of folded ones, and when the bytes for source are spent. */
const [leadRadius, otherRadius, shortRadius] = [7, 3, 2]

interface LeadOptions extends FrameOptions {
  /** Shown below the marked line. */
  readonly note: SafeHtml | null
  /** Whether it is in sight at first. */
  readonly isInSight: boolean
}

/** The frame an error leads with: its place and its source. A line that has no name may be outside every function. */
export function leadFrame(frame: Frame, options: LeadOptions): SafeHtml {
  const { excerpt } = frame
  const { note, isInSight } = options
  const look = { radius: isInSight ? leadRadius : otherRadius, note }
  const code = excerpt === null ? note : frameSource(frame, excerpt, look, options)
  return options.budget.spend(
    html`<div class="lead">
      <p class="frame-line own">
        ${frame.functionName === null ? null : callOf(frame)} ${placeOf(frame, options.editor)}
      </p>
      ${code}${variableList(frame)}
    </div>`,
  )
}

/** A frame of the stack trace, folded. Source that is on the page already is not shown again. */
function frameItem(frame: Frame, options: FrameOptions): SafeHtml {
  const { excerpt, origin } = frame
  const variables = variableList(frame)
  const isShown = excerpt === null || options.shown.has(framePlace(frame))
  if (isShown && variables === null)
    return options.budget.spend(html`<li class="frame-line ${origin}">${frameLine(frame, options.editor)}</li> `)
  const isHighlighted = !options.sourceBudget.isSpent
  const radius = isHighlighted ? otherRadius : shortRadius
  const source = isShown ? null : frameSource(frame, excerpt, { radius, isHighlighted }, options)
  const draw = (): SafeHtml =>
    // The place is next to the summary: nothing to click may be inside one.
    html`<li class="frame ${origin}">
      ${placeOf(frame, options.editor)}
      <details class="fold">
        <summary class="frame-line">${callOf(frame)}</summary>
        ${source}${variables}
      </details>
    </li> `
  const isOfRequest = variables !== null || frame.repeats !== undefined || excerpt === null
  const way = `${isShown}:${isHighlighted}:${framePlace(frame)}:${frame.isAsync}:${frame.functionName}`
  return options.budget.spend(isOfRequest ? draw() : options.drawn.piece(excerpt, way, draw))
}

function frameSource(
  frame: Frame,
  excerpt: SourceExcerpt,
  look: { readonly radius: number; readonly isHighlighted?: boolean; readonly note?: SafeHtml | null },
  options: FrameOptions,
): SafeHtml {
  options.shown.add(framePlace(frame))
  const marks = { line: frame.line, column: frame.column, ...look }
  const list = options.sourceBudget.spend(sourceList(excerpt, marks, options.drawn))
  const mark = changeMark(excerpt)
  return html`${list}${mark === null ? null : html`<p class="changed-file">${mark}</p>`}`
}

function variableList({ variables = [] }: Frame): SafeHtml | null {
  if (variables.length === 0) return null
  const rows = variables.map(
    ([name, text]) =>
      html`<div>
        <dt>${cutText(name, 100)}</dt>
        <dd>${cutText(text, 300)}</dd>
      </div> `,
  )
  return html`<dl class="variables mono" aria-label="Variables when the line began">${rows}</dl>`
}

function frameLine(frame: Frame, editor: EditorLink | undefined): SafeHtml {
  return html`${callOf(frame)} ${placeOf(frame, editor)}`
}

function callOf(frame: Frame): SafeHtml {
  const name = cutText(frame.functionName ?? '(anonymous)', 200)
  return html`<span class="call">${frame.isAsync ? html`<span class="muted">async </span>` : null}${name}</span>${
      frame.repeats === undefined ? null : html` <span class="muted">${repeatsText(frame.repeats)}</span>`
    }`
}

function placeOf(frame: Frame, editor: EditorLink | undefined): SafeHtml {
  const text = cutText(framePlace(frame), 320)
  return frame.origin === 'own'
    ? html`<span class="place">${placeLink(text, editor)}</span>`
    : html`<span class="place"><code>${text}</code> <span class="origin">${cutText(packageOf(frame), 60)}</span></span>`
}
