// The template tag through which every byte of markup goes. Values are escaped for their place; places that
// cannot be made safe are refused when the template runs for the first time: its constant markup is read once, as far as that takes by the
// tokenizer of the HTML standard.

import { isList } from '../members.ts'

/** Markup that needs no more escaping. Made by `html`, `jsonScript` and `trusted` only. */
export class SafeHtml {
  readonly #markup: string
  #byteLength: number | undefined

  constructor(markup: string) {
    this.#markup = markup
  }

  /** The markup. */
  toString(): string {
    return this.#markup
  }

  /** Bytes of the markup in UTF-8, counted when first asked for. */
  get byteLength(): number {
    this.#byteLength ??= Buffer.byteLength(this.#markup)
    return this.#byteLength
  }
}

/** An address whose maker vouches for its scheme. Made by `trustedUrl` only. */
export class TrustedUrl {
  readonly #address: string

  constructor(address: string) {
    this.#address = address
  }

  /** The address, not escaped. */
  toString(): string {
    return this.#address
  }
}

/** What a template takes. `null`, `undefined` and `false` leave nothing; lists are joined. */
export type HtmlValue =
  | string
  | number
  | bigint
  | boolean
  | null
  | undefined
  | SafeHtml
  | TrustedUrl
  | readonly HtmlValue[]

const plans = new WeakMap<readonly string[], TemplatePlan>()

/**
 * Markup from a template:
 *
 *     html`<a class="name" href="${url}">${name}</a>`
 *
 * In text `&`, `<` and `>` are escaped, in quoted attributes quotes too (a list there is joined by spaces, for classes). An attribute
 * whose whole value is `null`, `undefined` or `false` is left out: `<details open="${isOpen}">`. An attribute that holds an address is
 * checked as a whole by `safeUrl`. Indentation in the template is dropped. Throws a `TemplatePlaceError` when a value is in a script, a
 * style, an event handler, a comment, a name, or an attribute without quotes, and a TypeError for a value outside `HtmlValue` or for
 * markup inside an attribute.
 */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): SafeHtml {
  let plan = plans.get(strings)
  if (plan === undefined) plans.set(strings, (plan = planTemplate(strings)))
  let markup = ''
  let index = 0
  for (const place of plan.places) {
    const value = values[index]
    markup += place.before
    if ('parts' in place) {
      markup += toAttribute(place, values, index)
      index += place.parts.length - 1
    } else {
      markup += place.kind === 'text' ? toText(value) : toJson(value)
      index += 1
    }
  }
  return new SafeHtml(markup + plan.after)
}

/** Takes markup as it is. Only for constants of the library (styles, scripts, icons), never for anything that came in. */
export function trusted(markup: string): SafeHtml {
  return new SafeHtml(markup)
}

/**
 * Allows an address of another scheme than `http` and `https` as the whole value of an attribute: `vscode://file/…`.
 * The caller vouches for the scheme; the rest is escaped as ever.
 */
export function trustedUrl(address: string): TrustedUrl {
  return new TrustedUrl(address)
}

/**
 * A value as content of `<script type="application/json">`, with `<`, `>`, `&` and U+2028/9 escaped so that nothing in it can end
 * the element. Throws a TypeError for what JSON cannot say (a BigInt, a cycle).
 */
export function jsonScript(value: unknown): SafeHtml {
  const json = JSON.stringify(value) ?? 'null'
  return new JsonHtml(jsonEscapes.reduce((escaped, [character, by]) => escaped.replaceAll(character, by), json))
}

const jsonEscapes = ['<', '>', '&', '\u2028', '\u2029'].map(
  (character) => [character, `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`] as const,
)

class JsonHtml extends SafeHtml {}

function toText(value: HtmlValue): string {
  if (typeof value === 'string') return escapeText(value)
  if (value instanceof SafeHtml) return value.toString()
  if (isList(value)) {
    let joined = ''
    for (const item of value) joined += toText(item)
    return joined
  }
  return escapeText(toPlainText(value))
}

/** `first`: index of the attribute's first value. */
function toAttribute(planned: PlannedAttribute, values: readonly HtmlValue[], first: number): string {
  const { kind, open, parts, close, isWhole } = planned
  const value = values[first]
  if (isWhole && (value === null || value === undefined || value === false)) return ''
  if (isWhole && kind === 'url' && value instanceof TrustedUrl) return open + escapeAttribute(value.toString()) + close
  let content = parts[0] ?? ''
  for (let index = 1; index < parts.length; index += 1) {
    const text = toPlainText(values[first + index - 1])
    content += (kind === 'url' ? text : escapeAttribute(text)) + (parts[index] ?? '')
  }
  return open + (kind === 'url' ? escapeAttribute(safeUrl(content)) : content) + close
}

function toPlainText(value: HtmlValue): string {
  const given: unknown = value
  if (typeof value === 'string') return value
  if (value === null || value === undefined || value === false) return ''
  if (typeof value === 'number' || typeof value === 'bigint' || value === true) return String(value)
  if (value instanceof TrustedUrl) return value.toString()
  if (isList(value)) return value.map(toPlainText).filter(Boolean).join(' ')
  if (value instanceof SafeHtml) throw new TypeError('Markup cannot be the value of an attribute; use plain text')
  throw new TypeError(
    `A template takes text, numbers, markup and lists of them, not ${given instanceof Promise ? 'a Promise: await it' : typeof value}`,
  )
}

function toJson(value: HtmlValue): string {
  if (value instanceof JsonHtml) return value.toString()
  throw new TypeError('A JSON data block takes the result of jsonScript() only')
}

// Browsers drop tabs and line breaks inside an address and spaces around it before they read its scheme.
// oxlint-disable-next-line no-control-regex
const hiddenCharacter = /[\u0000-\u001f\u007f]/
const scheme = /^([a-z][a-z0-9+.-]*):/i
const webScheme = /^https?:\/\/[^/\\]/i
const otherHost = /^[/\\]{2}/

/**
 * The address itself when it is `http://…`, `https://…` or relative (`/a`, `a`, `?b`, `#c`); otherwise `#`. Also `#`:
 * addresses without scheme that name a host (`//host`, `/\host`), and those with control characters.
 */
export function safeUrl(url: string): string {
  const address = url.trim()
  if (hiddenCharacter.test(address) || otherHost.test(address)) return '#'
  return !scheme.test(address) || webScheme.test(address) ? address : '#'
}

/** One value in text or in a JSON data block. */
interface PlannedValue {
  readonly kind: 'text' | 'json'
  /** Markup since the place before. */
  readonly before: string
}

interface PlannedAttribute {
  /** `url`: it holds an address. */
  readonly kind: 'attribute' | 'url'
  readonly before: string
  /** ` title="` */
  readonly open: string
  /** What is constant before, between and after its values: plain text in an address, markup elsewhere. */
  readonly parts: readonly string[]
  /** The quote at its end. */
  readonly close: string
  /** Whether one value is all of it. */
  readonly isWhole: boolean
}

interface TemplatePlan {
  readonly places: readonly (PlannedValue | PlannedAttribute)[]
  /** Markup after the last place. */
  readonly after: string
}

/** A value is where none is allowed, or a template ends in the middle of a tag. */
export class TemplatePlaceError extends Error {
  readonly code = 'ERR_TEMPLATE_PLACE'
  static {
    Object.defineProperty(this.prototype, 'name', { value: 'TemplatePlaceError', configurable: true, writable: true })
  }
}

/**
 * Plans a template. Line breaks and the indentation around them become one line break, unless the template holds a `<pre>`
 * or a `<textarea>`. Throws a `TemplatePlaceError` that shows the spot when a value is where none is allowed.
 */
function planTemplate(strings: readonly string[]): TemplatePlan {
  const keepsSpace = strings.some((string) => /<(?:pre|textarea)\b/i.test(string))
  return new TemplateReader(keepsSpace ? strings : strings.map((string) => string.replace(/\s*\n\s*/g, '\n'))).read()
}

/** In the place of each value. */
const mark = '\0'

const comment = /<!--(?:-?>|[^]*?--!?>)/y
/** Also `</` without a name, which browsers read the same way. */
const declaration = /<(?:\?|!(?!--)|\/(?![a-z]))[^>]*>/iy
const tagStart = /<\/?[a-z][^ \t\n\f\r/>]*/iy
const attribute =
  /[ \t\n\f\r/]*(?<name>[^ \t\n\f\r/>="'<]+)(?:=[ \t\n\f\r]*(?:(?<quote>["'])(?<quoted>[^]*?)\k<quote>|(?<bare>[^ \t\n\f\r"'>][^ \t\n\f\r>]*))?)?/y
const tagEnd = /[ \t\n\f\r/]*>/y

const urlAttributes: ReadonlySet<string> = new Set(
  'href src action formaction poster cite data background ping manifest xlink:href'.split(' '),
)
const closedAttributes: ReadonlySet<string> = new Set(['style', 'srcdoc', 'srcset', 'imagesrcset', 'http-equiv'])
const escapableElements: ReadonlySet<string> = new Set(['title', 'textarea'])
const rawElements: ReadonlySet<string> = new Set(
  'title textarea script style xmp iframe noembed noframes plaintext'.split(' '),
)

class TemplateReader {
  readonly #markup: string
  readonly #places: (PlannedValue | PlannedAttribute)[] = []
  /** Where the markup after the last place begins. */
  #from = 0
  /** Where the next piece of markup begins. */
  #at = 0

  constructor(strings: readonly string[]) {
    this.#markup = strings.join(mark)
    if (this.#markup.split(mark).length > strings.length)
      throw new TemplatePlaceError('A template must not hold the character U+0000')
  }

  read(): TemplatePlan {
    const markup = this.#markup
    while ((this.#at = markup.indexOf('<', this.#at)) >= 0) {
      this.#addValues('text', this.#at)
      this.#readTag()
    }
    this.#addValues('text', markup.length)
    return { places: this.#places, after: markup.slice(this.#from) }
  }

  #readTag(): void {
    const start = this.#at
    if (this.#take(comment) !== null) return this.#refuse(start, 'inside a comment, where nothing can be escaped')
    if (this.#take(declaration) !== null)
      return this.#refuse(start, 'inside a declaration, where nothing can be escaped')
    const tag = this.#take(tagStart)?.[0].slice(1).toLowerCase()
    if (tag === undefined) {
      // A lone sign is text.
      this.#at += 1
      if (/^<(?:[!?/]|$)/.test(this.#markup.slice(start))) throw this.#unfinished()
      this.#refuse(start, 'in the name of a tag, which must be constant', start + 2)
      return
    }
    this.#refuse(start, 'in the name of a tag, which must be constant')
    const isJson = this.#readAttributes(tag)
    if (rawElements.has(tag)) this.#readRawText(tag, isJson)
  }

  /** Reads to the end of the tag. Whether it begins a JSON data block. */
  #readAttributes(tag: string): boolean {
    const attributes = new Map<string, string>()
    const start = this.#at
    for (let found = this.#take(attribute); found !== null; found = this.#take(attribute)) {
      const { name: written = '', quoted, bare = '' } = found.groups ?? {}
      const name = written.toLowerCase()
      this.#addAttribute(found, name, quoted, bare)
      if (!attributes.has(name)) attributes.set(name, quoted ?? bare)
    }
    if (this.#take(tagEnd) === null) {
      const [, stray = ''] = /^[ \t\n\f\r/]*([^]?)/.exec(this.#markup.slice(this.#at)) ?? []
      if (stray === '') throw this.#unfinished()
      throw new TemplatePlaceError(`A template has a stray ${stray} in <${tag}>: ${this.#spot(this.#at)}`)
    }
    if (tag === 'meta' && attributes.has('http-equiv'))
      this.#refuse(start, 'in a <meta http-equiv>, which must be constant')
    return tag === 'script' && attributes.get('type') === 'application/json'
  }

  #addAttribute(found: RegExpExecArray, name: string, quoted: string | undefined, bare: string): void {
    const end = this.#at
    const valueStart = quoted === undefined ? end - bare.length : end - 1 - quoted.length
    this.#refuse(found.index, 'in the name of an attribute, which must be constant', valueStart)
    if (!(quoted ?? bare).includes(mark)) return
    if (quoted === undefined) this.#refuse(valueStart, `in an attribute without quotes; write ${name}="\${…}"`)
    if (name.startsWith('on'))
      this.#refuse(valueStart, `in the script of the attribute "${name}"; put data into a JSON block`)
    if (closedAttributes.has(name)) this.#refuse(valueStart, `in the attribute "${name}", which must be constant`)
    const isUrl = urlAttributes.has(name)
    const parts = (quoted ?? '').split(mark)
    this.#places.push({
      kind: isUrl ? 'url' : 'attribute',
      before: this.#markup.slice(this.#from, found.index),
      open: this.#markup.slice(found.index, valueStart),
      parts: isUrl ? parts.map(decodeReferences) : parts,
      close: this.#markup.charAt(end - 1),
      isWhole: quoted === mark,
    })
    this.#from = end
  }

  /** Content that holds no tags, to its end tag. */
  #readRawText(tag: string, isJson: boolean): void {
    const start = this.#at
    const length = this.#markup.slice(start).search(new RegExp(`</${tag}[ \\t\\n\\f\\r/>]`, 'i'))
    if (length < 0) throw this.#unfinished(`a <${tag}>`)
    this.#at = start + length
    if (isJson) this.#addValues('json', this.#at)
    else if (escapableElements.has(tag)) this.#addValues('text', this.#at)
    else this.#refuse(start, `inside <${tag}>, where nothing can be escaped`)
  }

  #addValues(kind: 'text' | 'json', end: number): void {
    for (let at = this.#next(this.#from, end); at >= 0; at = this.#next(this.#from, end)) {
      this.#places.push({ kind, before: this.#markup.slice(this.#from, at) })
      this.#from = at + 1
    }
  }

  /** Takes what the pattern finds here, if anything. */
  #take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#markup)
    if (found !== null) this.#at = pattern.lastIndex
    return found
  }

  /** Throws if there is a value since `start`. Default `end`: what was taken. */
  #refuse(start: number, why: string, end = this.#at): void {
    const at = this.#next(start, end)
    if (at < 0) return
    const number = this.#markup.slice(0, at).split(mark).length
    throw new TemplatePlaceError(`Value ${number} of a template is ${why}: ${this.#spot(at)}`)
  }

  #next(from: number, end: number): number {
    const at = this.#markup.indexOf(mark, from)
    return at < end ? at : -1
  }

  #unfinished(place = 'a tag'): TemplatePlaceError {
    const spot = this.#spot(this.#markup.length)
    return new TemplatePlaceError(`A template must end between tags, but this one ends inside ${place}: ${spot}`)
  }

  #spot(end: number): string {
    return `${this.#markup.slice(0, end).replaceAll(mark, '${…}').trimStart().slice(-60)}▸`
  }
}

const references: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const characters = new Map(Object.entries(references).map(([character, reference]) => [reference, character]))

function decodeReferences(text: string): string {
  return text.replace(/&(?:amp|lt|gt|quot|#39);/g, (reference) => characters.get(reference) ?? reference)
}

/** For text between tags. Only `&`, `<` and `>` change, so that a quote stays a quote (SPEC 4.2). */
export function escapeText(text: string): string {
  // Most texts hold none of them: to test that is cheaper than to replace nothing.
  return /[&<>]/.test(text) ? text.replace(/[&<>]/g, referenceOf) : text
}

/** For the value of an attribute in single or double quotes: `&`, `<`, `>`, `"` and `'` change. */
export function escapeAttribute(text: string): string {
  return /[&<>"']/.test(text) ? text.replace(/[&<>"']/g, referenceOf) : text
}

function referenceOf(character: string): string {
  return references[character] ?? character
}

/** A style sheet of the library. Throws when the text could end its element. */
export function styleSheet(css: string): SafeHtml {
  const compact = css
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\s*\n\s*/g, '\n')
    .replace(/\s*([{};,])\s*/g, '$1')
    .replace(/: /g, ':')
    .replace(/;}/g, '}')
    .trim()
  return trusted(withoutEndTag(compact, 'style'))
}

/** A script of the library; only indentation is taken out. Throws when the text could end its element. */
export function scriptBlock(script: string): SafeHtml {
  return trusted(withoutEndTag(script.replace(/\n\s+/g, '\n').trim(), 'script'))
}

function withoutEndTag(text: string, element: string): string {
  if (text.toLowerCase().includes('</')) throw new TypeError(`A ${element} of the library must not hold "</"`)
  return text
}
