// Tells from the source whether a line is part of a loop, so that a repeated query can name the loop.

import { SourceFiles } from '../../errors/source-files.ts'

/** Lines above a call that are looked at. */
const maxLinesAbove = 200
const maxPlaces = 1000

/** Reads the source of one project. Judges by indentation, so it needs no parser. */
export class LoopLines {
  readonly #files: SourceFiles
  readonly #places = new Map<string, boolean>()

  /** `projectRoot` is absolute. */
  constructor(projectRoot: string) {
    this.#files = new SourceFiles(projectRoot)
  }

  /** Whether `src/orders.ts:12` is inside a loop or the callback of one, such as `map()`. False if the source cannot be read. */
  has(place: string): boolean {
    const known = this.#places.get(place)
    if (known !== undefined) return known
    const [, file = '', line = ''] = /^(.*):(\d+)$/.exec(place) ?? []
    const isLoop = isInLoop(this.#files.read(file)?.lines ?? [], Number(line))
    if (this.#places.size >= maxPlaces) this.#places.clear()
    this.#places.set(place, isLoop)
    return isLoop
  }
}

/** `line` is counted from 1. */
export function isInLoop(lines: readonly string[], line: number): boolean {
  let text = lines[line - 1] ?? ''
  let indent = indentOf(text)
  let isCallback = false
  if (startsLoop.test(text)) return true
  for (let index = line - 2; index >= Math.max(0, line - maxLinesAbove) && indent > 0; index -= 1) {
    text = lines[index] ?? ''
    if (text.trim() === '' || indentOf(text) >= indent) continue
    indent = indentOf(text)
    if (startsLoop.test(text)) return true
    if (isCallback) return false
    isCallback = opensCallback.test(text)
    if (!isCallback && startsFunction.test(text) && !isControl.test(text)) return false
  }
  return false
}

function indentOf(text: string): number {
  return text.length - text.trimStart().length
}

const startsLoop =
  /\b(?:for|while)\s*(?:await\s*)?\(|\bdo\s*\{|\.(?:map|flatMap|forEach|filter|find|some|every|reduce)\((?:async\b|function\b|\(|[\w$]+\s*=>|$)/
const startsFunction = /\bfunction\b|=>\s*[{(]?\s*$|\)\s*(?::[^{]*)?\{\s*$/
/** An arrow function on a separate line: the function that it is passed to is above. */
const opensCallback = /^\s*(?:async\s*)?(?:\([^()]*\)|[\w$]+)\s*=>\s*[{(]?\s*$/
const isControl = /^\s*(?:\}\s*)?(?:if|else|switch|catch|try|finally|with)\b/
