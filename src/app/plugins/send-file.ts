// Makes the reply that sends a file: the whole, a range of it, or only its head.

import send from '@fastify/send'
import path from 'node:path'
import { once } from 'node:events'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { headerPairs, type HeaderFields, fieldValue } from '../../base/http/header-fields.ts'
import { HttpError, NotFoundHttpError } from '../../base/http/http-error.ts'
import { Reply } from '../../base/http/reply.ts'
import type { HttpRequest } from '../../base/http/request.ts'
import { flag, wholeNumberRule, type OptionRules, checkOptions, text } from '../../base/options/check-options.ts'
import type { Exchange } from '../../http/kernel/exchange.ts'

/** How files are sent. */
export interface FileOptions {
  /** How long browsers and caches use a file without asking, in seconds. Default: 0, they ask each time whether it has changed. */
  readonly maxAgeSeconds?: number
  /** Whether a file never changes under its name, as names with a hash promise; needs `maxAgeSeconds`. Default: no. */
  readonly immutable?: boolean
  /** Further header fields; they replace those of the file. Default: none. */
  readonly headers?: HeaderFields
}

interface FileRequest {
  readonly request: Pick<HttpRequest, 'headers'>
  /** `HEAD` for the head alone, `GET` for the file. */
  readonly method: 'GET' | 'HEAD'
  /** The folder, absolute. */
  readonly root: string
  /** The parts of the path below it, decoded. */
  readonly names: readonly string[]
  readonly options: FileOptions
}

export const fileRules: OptionRules<FileOptions> = {
  maxAgeSeconds: wholeNumberRule,
  immutable: flag,
  headers: { allowed: 'a record of header fields', fits: (value) => typeof value === 'object' && value !== null },
}

/** Request headers that decide how much of a file is sent. */
const conditions = ['cache-control', 'if-match', 'if-modified-since', 'if-none-match', 'if-unmodified-since'] as const
const ranges = ['range', 'if-range'] as const

/** What a path leads to. */
type Found = Reply | 'directory' | undefined

/**
 * Opens a file. A path that could lead out of the root, and one with a name that begins with a dot, leads to nothing (but for
 * `.well-known` in front, RFC 8615). Throws an `HttpError` for conditions and ranges that cannot be met (412, 416), and an Error for a
 * file that cannot be read.
 */
export async function findFile({ request, method, root, names, options }: FileRequest): Promise<Found> {
  if (!names.every(isPlainName)) return undefined
  const { maxAgeSeconds = 0, immutable = false } = options
  const result = await send(messageOf(request, method), `/${names.map(encodeURIComponent).join('/')}`, {
    root,
    dotfiles: 'allow',
    index: false,
    contentType: false,
    maxAge: maxAgeSeconds * 1000,
    immutable,
    onFile: (_, stat) => {
      if (!stat.isFile()) throw new TypeError(`"${names.join('/')}" is neither a file nor a folder`)
    },
  })
  if (result.type === 'directory') return 'directory'
  if (result.type === 'error') return refused(result, names)
  const body = method === 'HEAD' || result.statusCode === 304 ? null : result.stream
  // A file that is gone or cannot be read is an error response now; later it would be a broken one.
  if (body !== null && !(await isOpened(body))) return undefined
  const fields = Object.entries(result.headers).flatMap(([name, value]) => [name.toLowerCase(), String(value)])
  if (result.statusCode !== 304) fields.push('content-type', contentType(names), 'x-content-type-options', 'nosniff')
  const reply = new Reply(result.statusCode, fields, body)
  const own = headerPairs(options.headers)
  for (const [name] of own) reply.removeHeader(name)
  for (const [name, value] of own) reply.appendHeader(name, value)
  return reply
}

/** Whether a name is one of a file that everybody may see, in the folder before it. */
function isPlainName(name: string, index: number): boolean {
  if (name === '' || /[/\\\0]/.test(name) || !name.isWellFormed()) return false
  return !name.startsWith('.') || (index === 0 && name === '.well-known')
}

function contentType(names: readonly string[]): string {
  const type = send.mime.getType(names.at(-1) ?? '') ?? 'application/octet-stream'
  return send.isUtf8MimeType(type) ? `${type}; charset=utf-8` : type
}

async function isOpened(stream: Readable): Promise<boolean> {
  try {
    await once(stream, 'open')
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false
    throw error
  }
}

function refused({ statusCode, headers, stream, metadata }: send.ErrorSendResult, names: readonly string[]): undefined {
  stream.destroy()
  const file = `"${names.join('/')}"`
  if (statusCode === 412) throw new HttpError(412, `The file ${file} has changed`)
  if (statusCode === 416) {
    const range = headers['Content-Range'] ?? ''
    throw new HttpError(416, `The file ${file} has no such range`, { headers: { 'content-range': range } })
  }
  if (statusCode >= 500) throw new Error(`The file ${file} cannot be read`, { cause: metadata.error })
}

/** The library reads the method and these headers only. A range is for GET alone (RFC 9110, section 14.2). */
function messageOf(request: FileRequest['request'], method: 'GET' | 'HEAD'): IncomingMessage {
  const headers: IncomingHttpHeaders = {}
  for (const name of method === 'GET' ? [...conditions, ...ranges] : conditions) {
    const value = request.headers[name]
    if (value !== undefined) headers[name] = value
  }
  const message: Pick<IncomingMessage, 'method' | 'headers'> = { method, headers }
  return message as IncomingMessage
}

/** What `fileReply` takes. */
export interface FileReplyOptions extends FileOptions {
  /** The folder that the file is in, absolute or relative to the working directory. */
  readonly root: string
  /** The browser saves the file under this name. Default: it shows the file if it can. */
  readonly downloadAs?: string
}

/**
 * Sends a file with its type, length and date, or the range of it that the client wants; 304 if the client has it already. `file` is a path
 * below the root, `2026/report.pdf`: it may come from the client. No shared cache keeps it, unless `headers` has a `Cache-Control`. Throws a `NotFoundHttpError` if there is no such file, for a path that
 * leads out of the root, and for names that begin with a dot.
 */
export async function fileReply(
  { request }: Pick<Exchange<object>, 'request'>,
  file: string,
  options: FileReplyOptions,
): Promise<Reply> {
  checkOptions<FileReplyOptions>('fileReply()', options, { root: text, downloadAs: text, ...fileRules })
  const { root, downloadAs, ...rest } = options
  const method = request.method === 'HEAD' ? 'HEAD' : 'GET'
  const found = await findFile({ request, method, root: path.resolve(root), names: file.split('/'), options: rest })
  if (!(found instanceof Reply)) throw new NotFoundHttpError(`There is no file "${file}"`)
  const cached = found.header('cache-control')
  // A guard may have let this client in alone.
  if (cached !== undefined && fieldValue(headerPairs(options.headers), 'cache-control') === undefined)
    found.setHeader('cache-control', cached.replace('public', 'private'))
  if (downloadAs !== undefined) found.setHeader('content-disposition', attachment(downloadAs))
  return found
}

/** The name in ASCII, and for browsers as it is (RFC 6266, section 4.3). */
function attachment(name: string): string {
  const plain = name.replaceAll(/[^ -~]|["\\%]/g, '_')
  const encoded = encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`
}
