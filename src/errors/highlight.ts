// Colours source by the rules of the highlighter. At most places of a text no rule need be tried: spaces and brackets are
// plain, and what a word is depends on little. What a rule takes further apart (comments, templates, patterns) is left to the
// highlighter.

import type { SourceToken } from './flattened-error.ts'
import { embeddedAfter, rulesFor, wordPlaces, type JoinedRules, type WordPlace } from './highlight-rules.ts'
import { languages, tokenizer } from './late-packages.ts'
import { TokenLines } from './token-lines.ts'

/**
 * Source as tokens, line by line; operators are plain, for they are many and have no colour. Never throws: what cannot be
 * highlighted stays plain.
 */
export function highlight(lines: readonly string[], extension: string): SourceToken[][] {
  const tokens = new TokenLines()
  new CodeReader((lines.some(isLong) ? lines.map(cutLine) : lines).join('\n'), rulesFor(extension), tokens).readAll()
  return tokens.lines
}

const maxLineChars = 400
/** Longer words are left to the rules. */
const maxWordChars = 40

class CodeReader {
  readonly #code: string
  readonly #rules: JoinedRules
  readonly #tokens: TokenLines
  /** Where the text begins that is not among the tokens yet: plain, as far as is known, and on one line. */
  #plainStart = 0

  constructor(code: string, rules: JoinedRules, tokens: TokenLines) {
    this.#code = code
    this.#rules = rules
    this.#tokens = tokens
  }

  readAll(): void {
    const code = this.#code
    const { length } = code
    let index = 0
    try {
      while (index < length) {
        const character = code.charCodeAt(index)
        switch (character < 128 ? kinds[character] : plain) {
          case plain:
            index += 1
            break
          case letter:
            index = this.#readWord(index)
            break
          case operator:
            index = this.#readOperator(index, character)
            break
          case lineBreak:
            this.#addPlain(index)
            this.#tokens.endLine()
            this.#plainStart = index += 1
            break
          case quote:
            index = this.#readQuoted(index, character)
            break
          default:
            index = this.#readByRules(index)
        }
      }
    } catch {
      // A text that is too much for an expression: the rest stays plain.
      this.#tokens.add(code.slice(this.#plainStart), '')
      return
    }
    this.#addPlain(length)
  }

  /** Tries all rules. A character with which none begins is plain. */
  #readByRules(index: number): number {
    const match = this.#rules.matchAt(this.#code, index)
    if (match === undefined) return index + 1
    const { text, type, sub } = match
    if (type === undefined && sub === undefined && !text.includes('\n')) return index + text.length
    this.#addPlain(index)
    this.#plainStart = index + text.length
    if (sub === undefined) this.#tokens.add(text, type)
    else if (text.startsWith('`')) this.#addTemplate(text, type)
    else tokenizer().tokenizeWith(text, sub, this.#tokens.add, { languages: languages() })
    return index + text.length
  }

  /** A word's kind is decided by a dot before it and a colon or a call behind it; the rules are asked once about each case. */
  #readWord(index: number): number {
    const code = this.#code
    const end = endOfWord(code, index)
    const next = endOfSpace(code, end)
    const behind = code.charCodeAt(next)
    const before = index === 0 ? 0 : code.charCodeAt(index - 1)
    if (isWordCharacter(before) || before === dollar || code.charCodeAt(end) === dollar) return this.#readByRules(index)
    if (behind >= 128 || end - index > maxWordChars || mayBeFunction(behind, code.charCodeAt(next + 1))) {
      // Where no rule begins with a word, none begins inside it.
      return Math.max(end, this.#readByRules(index))
    }
    const word = code.slice(index, end)
    const isMember = before === dot && index > 1 && code.charCodeAt(index - 2) !== dot
    const kind = this.#rules.kindOf(word, placeOf(isMember, behind))
    if (kind !== '') this.#addToken(index, word, kind)
    return end
  }

  /** Text in quotes on one line; with escapes, before a colon or without an end it is left to the rules. */
  #readQuoted(index: number, character: number): number {
    const code = this.#code
    let end = index + 1
    for (let inside = code.charCodeAt(end); inside !== character; inside = code.charCodeAt((end += 1))) {
      if (!(inside >= 0x20) || inside === backslash) return this.#readByRules(index)
    }
    end += 1
    const behind = code.charCodeAt(endOfSpace(code, end))
    if (behind === colon || behind >= 128) return this.#readByRules(index)
    this.#addToken(index, code.slice(index, end), 'str')
    return end
  }

  /** A template in backticks: what stands in `${…}` is code again. */
  #addTemplate(text: string, type: string | undefined): void {
    let done = 0
    for (let found = embeddedAfter(text, 0); found !== null; found = embeddedAfter(text, done)) {
      this.#tokens.add(text.slice(done, found.index), type)
      this.#addEmbedded(found[0])
      done = found.index + found[0].length
    }
    this.#tokens.add(text.slice(done), type)
  }

  #addEmbedded(part: string): void {
    this.#tokens.put('${', 'kwd')
    if (!part.endsWith('}')) return this.#tokens.add(part.slice(2), '')
    const inside = part.slice(2, -1)
    const start = inside.search(/[^{]|$/)
    this.#tokens.add(inside.slice(0, start), '')
    new CodeReader(inside.slice(start), rulesFor('js'), this.#tokens).readAll()
    this.#tokens.put('}', 'kwd')
  }

  /** Operators in a row are plain, unless the first begins something else: a type, an arrow, a number. */
  #readOperator(index: number, character: number): number {
    const code = this.#code
    const behind = code.charCodeAt(index + 1)
    if (character === equals && behind === greater) return this.#readByRules(index)
    if (character === dot && (isDigit(behind) || behind === smallE)) return this.#readByRules(index)
    if (character === colon) {
      const start = endOfSpace(code, index + 1)
      if (code.charCodeAt(start) >= 128) return this.#readByRules(index)
      if (this.#readType(index, start)) return this.#plainStart
    }
    let end = index + 1
    while (isOperator(code.charCodeAt(end))) end += 1
    return end
  }

  /** Takes a colon and the word behind it, if the rules make one of them: `: string`. */
  #readType(index: number, start: number): boolean {
    if (kindOfCharacter(this.#code.charCodeAt(start)) !== letter) return false
    const end = endOfWord(this.#code, start)
    if (end - start > maxWordChars) return false
    const kind = this.#rules.kindOf(this.#code.slice(start, end), wordPlaces.typed)
    if (kind === '') return false
    this.#addToken(index, this.#code.slice(index, end), kind)
    return true
  }

  #addToken(index: number, text: string, kind: string): void {
    this.#addPlain(index)
    this.#tokens.put(text, kind)
    this.#plainStart = index + text.length
  }

  #addPlain(end: number): void {
    if (end > this.#plainStart) this.#tokens.put(this.#code.slice(this.#plainStart, end), '')
  }
}

const [dot, colon, question, equals, greater] = [0x2e, 0x3a, 0x3f, 0x3d, 0x3e]
const [dollar, parenthesis, backslash, smallE] = [0x24, 0x28, 0x5c, 0x65]

function placeOf(isMember: boolean, behind: number): WordPlace {
  if (behind === colon) return wordPlaces.named
  if (behind === parenthesis) return isMember ? wordPlaces.calledMember : wordPlaces.called
  return isMember ? wordPlaces.member : wordPlaces.alone
}

/** Whether a word is called by `?.(`, or given a function by `=`, as far as two characters behind it tell. */
function mayBeFunction(behind: number, second: number): boolean {
  return behind === question ? second === dot : behind === equals && second !== equals && second !== greater
}

/** What may begin with a character: nothing, a word, an operator, text in quotes, the next line, or whatever the rules say. */
const [plain, letter, operator, quote, lineBreak, other] = [0, 1, 2, 3, 4, 5]

const kinds: Uint8Array = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code)
  if (/[a-zA-Z]/.test(character)) return letter
  if (/[*+:?&|%^~=!,<>.-]/.test(character)) return operator
  if (character === '"' || character === "'") return quote
  if (character === '\n') return lineBreak
  return /[\s(){}[\];@\\]/.test(character) ? plain : other
})

function kindOfCharacter(code: number): number {
  return code < 128 ? (kinds[code] ?? other) : plain
}

/** A slash may stand among operators; the first of them is left to the rules. */
function isOperator(code: number): boolean {
  return code === 0x2f || (code < 128 && kinds[code] === operator)
}

function endOfWord(code: string, start: number): number {
  let end = start + 1
  while (isWordCharacter(code.charCodeAt(end))) end += 1
  return end
}

function endOfSpace(code: string, start: number): number {
  let end = start
  while (isSpace(code.charCodeAt(end))) end += 1
  return end
}

function isWordCharacter(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || isDigit(code) || code === 0x5f
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}

function isSpace(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d)
}

function isLong(line: string): boolean {
  return line.length > maxLineChars
}

function cutLine(line: string): string {
  return isLong(line) ? `${line.slice(0, maxLineChars)}…` : line
}
