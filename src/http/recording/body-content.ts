// The content of a body by its media type, decoded and masked.

import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib'
import { parseMediaType } from '../../base/http/media-type.ts'
import type { PlainValue, Redactor } from '../../base/redact/redactor.ts'
import { isJsonType, multipart, urlencoded } from './body-rule.ts'

/** What a kept body holds, masked and bounded. */
export type BodyContent =
  | { readonly kind: 'json'; readonly value: PlainValue }
  | { readonly kind: 'form'; readonly fields: readonly (readonly [name: string, value: string])[] }
  | { readonly kind: 'text'; readonly text: string }
  /** Of a type that is not shown: pictures, archives, uploads; or in a content encoding that cannot be decoded. */
  | { readonly kind: 'binary' }

/** The same as it is read. */
export interface ContentParts {
  readonly kind: string
  readonly value?: unknown
  readonly fields?: readonly (readonly [name: string, value: string])[] | undefined
  readonly text?: string | undefined
}

export type BodyMasker = Pick<Redactor, 'text' | 'query' | 'value'>

interface ContentFacts {
  readonly contentType: string | undefined
  readonly encoding: string | undefined
  /** Whether the bytes are all of it. */
  readonly isWhole: boolean
  /** Characters of a text at most. */
  readonly maxText: number
}

/** What is not JSON or a form though its type says so is text: the mistake may be what the page is about. Never throws. */
export function bodyContent(
  sent: Buffer,
  { contentType, encoding, isWhole, maxText }: ContentFacts,
  masker: BodyMasker,
): BodyContent {
  const { essence, charset } = parseMediaType(contentType)
  const bytes = decodedBody(sent, encoding, isWhole)
  const isForm = essence === multipart
  if (bytes === null || !(isForm || isTextual(essence))) return { kind: 'binary' }
  if (isForm) {
    const fields = isWhole ? partsOf(bytes, contentType ?? '') : null
    return fields === null ? { kind: 'binary' } : { kind: 'form', fields: masker.query(String(fields)) }
  }
  const text = new TextDecoder().decode(bytes)
  if (essence === urlencoded && text.split('&').every(isPair)) return { kind: 'form', fields: masker.query(text) }
  if (isWhole && isJsonType(essence) && readAsUtf8.has(charset)) {
    try {
      return { kind: 'json', value: masker.value(JSON.parse(text)) }
    } catch {
      // Text.
    }
  }
  return { kind: 'text', text: masker.text(withoutEscapes(text), maxText) }
}

const readAsUtf8: ReadonlySet<string> = new Set(['utf-8', 'utf8', 'us-ascii'])

/** JSON under the type of a form has no names to mask by. */
const isPair = (pair: string): boolean => pair === '' || /^[^\s="{}<>]{1,200}=/.test(pair)

// A name written with escapes is still the same name: "pass\\u0077ord" must be recognised too.
function withoutEscapes(text: string): string {
  return text.replace(/\\u00([2-7][0-9a-f])/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
}

/** The fields of a form in parts, of files only the size; `null` if it is none. */
function partsOf(bytes: Buffer, contentType: string): URLSearchParams | null {
  const [, quoted, bare = quoted] = /;\s*boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType) ?? []
  const parts = `\r\n${bytes.toString('latin1')}`.split(`\r\n--${bare}`)
  if (bare === undefined || parts.shift() !== '' || parts.pop()?.startsWith('--') !== true) return null
  const fields = new URLSearchParams()
  for (const part of parts) {
    const [head = '', ...rest] = part.split('\r\n\r\n')
    const value = Buffer.from(rest.join('\r\n\r\n'), 'latin1')
    const [, name] = /^content-disposition:.*;\s*name="([^"]*)"/im.exec(head) ?? []
    if (name === undefined) return null
    const isFile = /^content-disposition:.*;\s*filename/im.test(head)
    fields.append(Buffer.from(name, 'latin1').toString(), isFile ? `[file of ${value.length} bytes]` : String(value))
  }
  return fields
}

/** JSON is written again; `null` for what is not text. `inLines`: for people. */
export function contentText({ value, fields, text }: ContentParts, inLines = false): string | null {
  if (value !== undefined) return JSON.stringify(value, null, inLines ? 2 : 0)
  return fields?.map(([name, field]) => `${name}=${field}`).join(inLines ? '\n' : '&') ?? text ?? null
}

/** Whether bodies of a media type are text. */
function isTextual(mediaType: string): boolean {
  if (mediaType.startsWith('text/') || /[+/](?:json|xml|x-www-form-urlencoded)$/.test(mediaType)) return true
  return textTypes.has(mediaType)
}

const textTypes: ReadonlySet<string> = new Set([
  '',
  'application/graphql',
  'application/javascript',
  'application/x-ndjson',
  'application/yaml',
])

/** `null` if it cannot be decoded; a part of a body can be only if nothing has to be. */
export function decodedBody(bytes: Buffer, encoding: string | undefined, isWhole: boolean): Buffer | null {
  const decode = decoders.get((encoding ?? '').toLowerCase().trim())
  if (decode === undefined || (!isWhole && decode !== identity)) return null
  try {
    return decode(bytes)
  } catch {
    return null
  }
}

const identity = (bytes: Buffer): Buffer => bytes
/** Bytes of a decoded body at most. */
const bound = { maxOutputLength: 256 * 1024 } as const
const decoders: ReadonlyMap<string, (bytes: Buffer) => Buffer> = new Map([
  ['', identity],
  ['identity', identity],
  ['gzip', (bytes: Buffer) => gunzipSync(bytes, bound)],
  ['br', (bytes: Buffer) => brotliDecompressSync(bytes, bound)],
  ['deflate', (bytes: Buffer) => inflateSync(bytes, bound)],
  ['zstd', (bytes: Buffer) => zstdDecompressSync(bytes, bound)],
])
