// The template tag through which every byte of markup goes. Values are escaped for their place; places that
// cannot be made safe are refused when the template runs for the first time.

import { escapeAttribute, escapeText } from './escape.ts'
import { planTemplate, type PlannedAttribute, type TemplatePlan } from './template-plan.ts'

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
  return new JsonHtml(
    json.replace(/[<>&\u2028\u2029]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`),
  )
}

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
  if (typeof value === 'string') return value
  if (value === null || value === undefined || value === false) return ''
  if (typeof value === 'number' || typeof value === 'bigint' || value === true) return String(value)
  if (value instanceof TrustedUrl) return value.toString()
  if (isList(value)) return value.map(toPlainText).filter(Boolean).join(' ')
  if (value instanceof SafeHtml) throw new TypeError('Markup cannot be the value of an attribute; use plain text')
  throw new TypeError(`A template takes text, numbers, markup and lists of them, not ${typeof value}`)
}

function isList(value: HtmlValue): value is readonly HtmlValue[] {
  return Array.isArray(value)
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
