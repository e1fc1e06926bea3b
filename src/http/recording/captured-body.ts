// What debug shows of the body of a request or a response: how much of it was kept, by whose leave, and its content by media type,
// masked. The bytes of a request are kept by the body itself, while the handler reads it.

import type { RequestBody } from '../../base/http/body.ts'
import { parseMediaType } from '../../base/http/media-type.ts'
import type { PlainValue } from '../../base/redact/plain-value.ts'

/** Bytes of one body that are kept at most. */
export const maxKeptBytes: number = 64 * 1024

/** What a kept body holds, masked and bounded. */
export type BodyContent =
  | { readonly kind: 'json'; readonly value: PlainValue }
  | { readonly kind: 'form'; readonly fields: readonly (readonly [name: string, value: string])[] }
  | { readonly kind: 'text'; readonly text: string }
  /** Of a type that is not shown: pictures, archives, uploads; or in a content encoding. */
  | { readonly kind: 'binary' }

/** The body of a request as far as it was captured. Plain data. */
export interface CapturedBody {
  /**
   * `none`: the request has none. `off`: the route does not opt in. `not-asked`: the application of another framework does not. `no-route`: no route matched the request. `unread`: the
   * handler did not read it. `kept`: at least its beginning is there.
   */
  readonly state: 'none' | 'off' | 'not-asked' | 'no-route' | 'unread' | 'kept'
  /** Media type as sent, without parameters; empty where none was sent. */
  readonly mediaType: string
  /** `Content-Length`; `null` where none was sent. */
  readonly declaredBytes: number | null
  /** How many bytes the handler read, and how many of them were kept. */
  readonly readBytes: number
  readonly keptBytes: number
  /** Whether the handler read to the end. */
  readonly isComplete: boolean
  /** `null` unless the state is `kept`. */
  readonly content: BodyContent | null
}

interface BodyMasker {
  text(text: string, maxLength?: number): string
  query(raw: string): readonly (readonly [name: string, value: string])[]
  value(value: unknown): PlainValue
}

/** The part of a request that is looked at. */
interface BodySource {
  readonly request: { readonly body: RequestBody }
  readonly route: { readonly captureBody: boolean } | undefined
}

/** Describes the body of a request. Never throws. */
export function captureBody({ request: { body }, route }: BodySource, masker: BodyMasker): CapturedBody {
  if (body.isEmpty) return noBody
  const { kept } = body
  const mediaType = parseMediaType(body.contentType).essence.slice(0, 100)
  const facts = {
    mediaType,
    declaredBytes: body.contentLength ?? null,
    readBytes: kept?.readBytes ?? 0,
    keptBytes: kept?.bytes.byteLength ?? 0,
    isComplete: kept?.isComplete ?? false,
  }
  if (kept !== undefined && kept.readBytes > 0) {
    const isWhole = kept.isComplete && kept.readBytes === kept.bytes.byteLength
    return {
      ...facts,
      state: 'kept',
      content: contentOf(kept.bytes, { mediaType, isWhole, masker, isEncoded: body.isEncoded }),
    }
  }
  const state = body.absence ?? (route === undefined ? 'no-route' : route.captureBody ? 'unread' : 'off')
  return { ...facts, state, content: null }
}

/** Describes the body of a response, of which `bytes` are the first: read and kept are what left and was kept. */
export function captureReply(
  { bytes, totalBytes }: { readonly bytes: Uint8Array; readonly totalBytes: number },
  header: (name: string) => string | undefined,
  masker: BodyMasker,
): CapturedBody {
  const mediaType = parseMediaType(header('content-type')).essence.slice(0, 100)
  const isEncoded = (header('content-encoding') ?? 'identity') !== 'identity'
  const kept = bytes.subarray(0, maxKeptBytes)
  const isWhole = kept.byteLength === totalBytes
  return {
    state: 'kept',
    mediaType,
    declaredBytes: totalBytes,
    readBytes: totalBytes,
    keptBytes: kept.byteLength,
    isComplete: true,
    content: contentOf(kept, { mediaType, isWhole, masker, isEncoded }),
  }
}

const noBody: CapturedBody = {
  state: 'none',
  mediaType: '',
  declaredBytes: null,
  readBytes: 0,
  keptBytes: 0,
  isComplete: true,
  content: null,
}

interface ContentFacts {
  readonly mediaType: string
  readonly isWhole: boolean
  readonly masker: BodyMasker
  readonly isEncoded: boolean
}

function contentOf(bytes: Uint8Array, { mediaType, isWhole, masker, isEncoded }: ContentFacts): BodyContent {
  if (isEncoded || !isTextual(mediaType)) return { kind: 'binary' }
  const text = new TextDecoder().decode(bytes)
  if (mediaType === 'application/x-www-form-urlencoded') return { kind: 'form', fields: masker.query(text) }
  if (isWhole && (mediaType === 'application/json' || mediaType.endsWith('+json'))) {
    try {
      return { kind: 'json', value: masker.value(JSON.parse(text)) }
    } catch {
      // Shown as it came: the mistake may be what the page is about.
    }
  }
  return { kind: 'text', text: masker.text(withoutEscapes(text), 16_384) }
}

// A name written with escapes is still the same name: "pass\\u0077ord" must be recognised too.
function withoutEscapes(text: string): string {
  return text.replace(/\\u00([2-7][0-9a-f])/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
}

/** Whether bodies of a media type are text. */
export function isTextual(mediaType: string): boolean {
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
