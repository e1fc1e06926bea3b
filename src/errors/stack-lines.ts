// Parses `error.stack` as V8 writes it, line by line, in linear time.

export interface StackLine {
  /** `ProductController.show`, `new Product`; `null` for anonymous functions and the top level of a file. */
  readonly functionName: string | null
  /** File name or URL as written; `<anonymous>` without one. */
  readonly location: string
  /** From 1; 0 without one. */
  readonly line: number
  readonly column: number
  readonly isAsync: boolean
}

export interface StackBounds {
  /** Default 50. */
  readonly maxFrames?: number
  /** The error's message: the stack repeats it, and it may contain lines that look like frames. */
  readonly message?: string
}

/** The lines of the calls, innermost first. The place of a syntax error counts as the innermost call. */
export function stackCalls(stack: string, bounds: StackBounds = {}): string[] {
  const maxFrames = bounds.maxFrames ?? 50
  const lines = placeOfSyntax(stack)
  let start = endOfHeader(stack, bounds.message ?? '')
  const limit = Math.min(stack.length, start + maxStackChars)
  while (start < limit && lines.length < maxFrames) {
    const newline = stack.indexOf('\n', start)
    const end = newline < 0 ? stack.length : newline
    const line = end - start > maxLineChars ? '' : stack.slice(start, end)
    if (isCall(line)) lines.push(line)
    start = end + 1
  }
  return lines
}

/** One line, `    at show (file:///app/product.ts:3:9)`; `null` if it is not a call. */
export function parseStackLine(text: string): StackLine | null {
  if (!isCall(text)) return null
  const trimmed = text.trim()
  const isAsync = trimmed.startsWith('at async ')
  const call = trimmed.slice(isAsync ? 9 : 3)
  const open = call.endsWith(')') ? startOfPlace(call) : -1
  if (open < 0) return lineAt(null, call, isAsync)
  return lineAt(functionName(call.slice(0, open)), call.slice(open + 2, -1), isAsync)
}

function isCall(text: string): boolean {
  return text.startsWith('    at ') || text.trimStart().startsWith('at ')
}

/** Node writes the place of a syntax error before its name: `/app/cart.ts:2`, the source, and mostly carets under the column. */
function placeOfSyntax(stack: string): string[] {
  const [, place] = /^((?:file:\/\/)?\/[^\n]{1,4000}:\d{1,9})\n/.exec(stack) ?? []
  if (place === undefined) return []
  const [, indent = ''] = /\n( {0,1000})\^+\n/.exec(stack.slice(0, maxLineChars * 2)) ?? []
  return [`    at ${place}:${indent.length + 1}`]
}

const maxStackChars = 256 * 1024
const maxLineChars = 4096

/** Where the calls begin: after the message, if the stack still repeats it. */
function endOfHeader(stack: string, message: string): number {
  if (message === '') return 0
  // The beginning of the message is enough to find it.
  const beginning = message.slice(0, 1000)
  const found = stack.slice(0, 300 + beginning.length).indexOf(beginning)
  return found < 0 ? 0 : found + message.length
}

/** Index of the ` (` before the place. Names contain one only in `[as …]`. */
function startOfPlace(call: string): number {
  const alias = call.indexOf(' [as ')
  const open = call.indexOf(' (')
  if (alias < 0 || open < alias) return open
  const behind = call.indexOf('] (', alias)
  return behind < 0 ? open : behind + 1
}

function functionName(written: string): string | null {
  const name = written.trim()
  return name === '' || name === '<anonymous>' || name === 'Object.<anonymous>' ? null : name.slice(0, 200)
}

/** Parses a place, `file:///app/a.ts:12:5`. */
function lineAt(name: string | null, written: string, isAsync: boolean): StackLine {
  const place = written.startsWith('eval at ') ? placeOfEval(written) : written
  const [, location = '', line = 0, column = 0] = /^(.*?)(?::(\d{1,9}))?(?::(\d{1,9}))?$/s.exec(place) ?? []
  return {
    functionName: name,
    location: location || '<anonymous>',
    line: Number(line),
    column: Number(column),
    isAsync,
  }
}

/** `eval at run (file:///app/a.js:1:2), <anonymous>:1:5` happened in the file of the innermost parentheses. */
function placeOfEval(written: string): string {
  const open = written.lastIndexOf('(')
  const close = written.indexOf(')', open)
  return open < 0 || close < 0 ? '<anonymous>' : written.slice(open + 1, close)
}

/**
 * Makes all errors of the process capture at least so many frames. V8's default of 10 often ends inside a dependency. Costs a few
 * microseconds per error.
 */
export function ensureDeepTraces(frames: number): void {
  const limit = Object.getOwnPropertyDescriptor(Error, 'stackTraceLimit')
  // Some programs freeze it, or turn traces off on purpose.
  if (limit?.writable !== true || typeof limit.value !== 'number' || limit.value <= 0) return
  Error.stackTraceLimit = Math.max(limit.value, frames)
}
