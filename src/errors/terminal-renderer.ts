// An error for a terminal, with colours and links (OSC 8). Control characters of everything else are escaped (SECURITY R13).

import { pathToFileURL } from 'node:url'
import type { ErrorView } from './error-view.ts'
import type { ErrorChain, FlattenedError, Frame } from './flattened-error.ts'
import { visibleLine, visibleText } from '../base/markdown-text.ts'
import { candidateLine } from './origin-lines.ts'
import {
  excerptLines,
  framePlace,
  groupFrames,
  groupTitle,
  leadingFrame,
  repeatsText,
  variableLines,
} from './trace-lines.ts'
import type { Explanation } from './value-origin.ts'

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
  const head = `${paint.verdict(` ${view.statusCode} ${view.statusText} `)} ${visibleLine(`${view.method} ${view.url}`)}`
  return printed([head, ...chainLines(view.chain, paint)], view, [paint.dim(referenceLine(view))], paint)
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
  options: TerminalOptions & Partial<Explanation> & { readonly token?: string | null } = {},
): string {
  const { token = null } = options
  const paint = paintOf(options)
  const last = token === null ? [] : [`${paint.hint('profile')} ${token}: fanlight profiles show ${token}`]
  return printed([paint.verdict(visibleLine(heading)), ...chainLines(chain, paint)], options, last, paint)
}

function printed(
  first: readonly string[],
  { hints = [], candidates = [] }: Pick<PrintedError, 'hints' | 'candidates'>,
  last: readonly string[],
  paint: Paint,
): string {
  const lines = [
    ...first,
    ...hints.flatMap(({ title, text }) => [`${paint.hint('hint')} ${visibleLine(title)}`, `     ${visibleLine(text)}`]),
    ...candidates.map((candidate) => `${paint.hint('look')} ${visibleLine(candidateLine(candidate))}`),
    ...last,
  ]
  return `${lines.join('\n')}\n`
}

/** The errors of a chain with their frames, and source below the most useful frame of each. */
function chainLines({ errors, cut }: ErrorChain, paint: Paint): string[] {
  const lines = errors.flatMap((error, index) => {
    const position = `[${errors.length - index}/${errors.length}]`
    const [message = '', ...more] = visibleText(error.message).split('\n')
    return [
      `${position} ${paint.name(visibleLine(error.className))}: ${message}`,
      ...more.map((line) => `  ${line}`),
      ...error.properties.map(({ name, value }) => `  ${paint.dim(visibleLine(`${name}: ${value}`))}`),
      ...traceOf(error.frames, errors[index - 1], paint).map((line) => `    ${line}`),
      ...error.members.flatMap((member) => chainLines(member, paint)).map((line) => `  | ${line}`),
    ]
  })
  return cut === null ? lines : [...lines, paint.dim(`(${cut})`)]
}

/** What own code called, frame by frame, and what called own code, in groups. */
function traceOf(frames: readonly Frame[], outer: FlattenedError | undefined, paint: Paint): string[] {
  const leading = leadingFrame(frames)
  const firstOwn = frames.findIndex(({ origin }) => origin === 'own')
  const inner = frames.slice(0, firstOwn < 0 ? undefined : firstOwn)
  const groups = groupFrames(frames.slice(inner.length), outer?.frames)
  return [...inner.map((frame) => ({ kind: 'single', frame }) as const), ...groups].flatMap((group) =>
    group.kind === 'single'
      ? frameLines(group.frame, group.frame === leading, paint)
      : [paint.dim(visibleLine(`… ${groupTitle(group, outer?.className)}`))],
  )
}

function frameLines(frame: Frame, isLeading: boolean, paint: Paint): string[] {
  return [
    frameLine(frame, paint),
    ...variableLines(frame).map((line) => `  ${visibleLine(line)}`),
    ...(isLeading ? excerptLines(frame, sourceRadius).map((line) => `  ${visibleText(line)}`) : []),
    ...(frame.repeats === undefined ? [] : [paint.dim(`(${repeatsText(frame.repeats)})`)]),
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

type Style = Readonly<Record<'verdict' | 'name' | 'hint' | 'dim' | 'own', (text: string) => string>>

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
