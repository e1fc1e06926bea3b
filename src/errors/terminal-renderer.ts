// An error for a terminal, with colours and links (OSC 8). Control characters of everything else are escaped (SECURITY R13).

import { pathToFileURL } from 'node:url'
import type { ErrorView } from './error-view.ts'
import type { ErrorChain, FlattenedError, Frame } from './flattened-error.ts'
import type { Hint } from './hints/hint.ts'
import { visibleLine, visibleText } from '../base/markdown-text.ts'
import { candidateLine } from './origin-lines.ts'
import { excerptLines, framePlace, leadingFrame, repeatsText, variableLines } from './trace-lines.ts'
import type { ChangeCandidate, Explanation } from './value-origin.ts'

interface TerminalOptions {
  /** Default true. */
  readonly colors?: boolean
  /** Links places to their files. Default false: some terminals would print the escape codes. */
  readonly links?: boolean
  /** Absolute directory of own code, for links. */
  readonly projectRoot?: string
}

/** What is printed of an error page. */
export type PrintedError = Pick<ErrorView, 'statusCode' | 'statusText' | 'method' | 'url' | 'chain'> &
  Pick<ErrorView, 'hints' | 'candidates' | 'reference' | 'token'>

/** Ends with a line break. Pass a masked view if the output is kept. */
export function renderErrorTerminal(view: PrintedError, options: TerminalOptions = {}): string {
  const paint = paintOf(options)
  const lines = [
    `${paint.verdict(` ${view.statusCode} ${view.statusText} `)} ${visibleLine(`${view.method} ${view.url}`)}`,
    ...chainLines(view.chain, paint),
    ...adviceLines(view.hints ?? [], view.candidates ?? [], paint),
    paint.dim(referenceLine(view)),
  ]
  return `${lines.join('\n')}\n`
}

/** Where no proxy names the request, its reference is the token of its profile. */
function referenceLine({ reference, token }: PrintedError): string {
  if (token === reference) return `reference and profile ${token}`
  return `reference ${reference}${token === null ? '' : `, profile ${token}`}`
}

/** A masked chain below a heading, for an error outside any response; ends with a line break. */
export function renderChainTerminal(
  heading: string,
  chain: ErrorChain,
  {
    hints = [],
    candidates = [],
    token = null,
    ...options
  }: TerminalOptions & Partial<Explanation> & { readonly token?: string | null } = {},
): string {
  const paint = paintOf(options)
  const lines = [
    paint.verdict(visibleLine(heading)),
    ...chainLines(chain, paint),
    ...adviceLines(hints, candidates, paint),
    ...(token === null ? [] : [`${paint.hint('profile')} ${token}: fanlight profiles show ${token}`]),
  ]
  return `${lines.join('\n')}\n`
}

function adviceLines(hints: readonly Hint[], candidates: readonly ChangeCandidate[], paint: Paint): string[] {
  return [
    ...hints.flatMap(({ title, text }) => [`${paint.hint('hint')} ${visibleLine(title)}`, `     ${visibleLine(text)}`]),
    ...candidates.map((candidate) => `${paint.hint('look')} ${visibleLine(candidateLine(candidate))}`),
  ]
}

/** The errors of a chain with their frames, and source below the most useful frame of each. */
function chainLines(chain: ErrorChain, paint: Paint, indent = ''): string[] {
  const total = chain.errors.length
  const lines = chain.errors.flatMap((error, index) => errorLines(error, `[${total - index}/${total}]`, paint, indent))
  return chain.cut === null ? lines : [...lines, `${indent}${paint.dim(`(${chain.cut})`)}`]
}

function errorLines(error: FlattenedError, position: string, paint: Paint, indent: string): string[] {
  const leading = leadingFrame(error.frames)
  const message = visibleText(error.message).replaceAll('\n', `\n${indent}  `)
  return [
    `${indent}${position} ${paint.name(visibleLine(error.className))}: ${message}`,
    ...error.properties.map(({ name, value }) => `${indent}  ${paint.dim(visibleLine(`${name}: ${value}`))}`),
    ...error.frames.flatMap((frame) => [
      `${indent}    ${frameLine(frame, paint)}`,
      ...variableLines(frame).map((line) => `${indent}      ${visibleLine(line)}`),
      ...(frame === leading
        ? excerptLines(frame, sourceRadius).map((line) => `${indent}      ${visibleText(line)}`)
        : []),
      ...(frame.repeats === undefined ? [] : [`${indent}    ${paint.dim(`(${repeatsText(frame.repeats)})`)}`]),
    ]),
    ...error.members.flatMap((member) => chainLines(member, paint, `${indent}  | `)),
  ]
}

function frameLine(frame: Frame, paint: Paint): string {
  const place = paint.place(frame)
  const call = frame.functionName === null ? place : `${visibleLine(frame.functionName)} (${place})`
  const line = `at ${frame.isAsync ? 'async ' : ''}${call}`
  return frame.origin === 'own' ? line : paint.dim(line)
}

/** Lines of source before and after a frame. */
const sourceRadius = 4

function paintOf(options: TerminalOptions): Paint {
  const style = options.colors === false ? plain : coloured
  return { ...style, place: (frame) => place(frame, options, style) }
}

interface Paint extends Style {
  readonly place: (frame: Frame) => string
}

interface Style {
  readonly verdict: (text: string) => string
  readonly name: (text: string) => string
  readonly hint: (text: string) => string
  readonly dim: (text: string) => string
  readonly own: (text: string) => string
}

const escape = '\u001b'
const painter =
  (open: string, close: string) =>
  (text: string): string =>
    `${escape}[${open}m${text}${escape}[${close}m`

const coloured: Style = {
  verdict: painter('1;37;41', '0'),
  name: painter('1;31', '0'),
  hint: painter('1;32', '0'),
  dim: painter('2', '22'),
  own: painter('36', '39'),
}

const same = (text: string): string => text
const plain: Style = { verdict: same, name: same, hint: same, dim: same, own: same }

function place(frame: Frame, options: TerminalOptions, style: Style): string {
  const text = visibleLine(framePlace(frame))
  if (frame.origin !== 'own') return text
  if (options.links !== true || options.projectRoot === undefined) return style.own(text)
  // A file URL is percent-encoded, so it cannot end the sequence.
  const { href } = pathToFileURL(`${options.projectRoot}/${frame.file}`)
  return `${escape}]8;;${href}${escape}\\${style.own(text)}${escape}]8;;${escape}\\`
}
