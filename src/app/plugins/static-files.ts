// Static files as a plugin: files of a folder, for paths that no route takes.

import { stat } from 'node:fs/promises'
import path from 'node:path'
import type { Plugin, Services } from '../options.ts'
import { redirect, Reply } from '../../base/http/reply.ts'
import type { HttpRequest } from '../../base/http/request.ts'
import type { Exchange } from '../../http/kernel/exchange.ts'
import type { Listener } from '../../http/kernel/listener.ts'
import { missError } from '../../http/kernel/route-step.ts'
import { checkOptions, text, flag, wholeNumberRule, type OptionRules } from '../../base/options/check-options.ts'
import send from '@fastify/send'
import { once } from 'node:events'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { headerPairs, type HeaderFields, fieldValue } from '../../base/http/header-fields.ts'
import { HttpError, NotFoundHttpError } from '../../base/http/http-error.ts'

/** What `staticFiles` takes. */
export interface StaticFilesOptions extends FileOptions {
  /** The folder, absolute or relative to the project root. Everything in it is public but for names that begin with a dot. */
  readonly root: string
  /** Paths that begin so lead into the folder: `/assets/`. Default: `/`. */
  readonly prefix?: string
  /** The file that is sent for a folder; `false` for none. Default: `index.html`. */
  readonly index?: string | false
}

const owner = 'staticFiles()'

/** Sends the files of a folder. */
class StaticFilesPlugin implements Plugin {
  readonly name: string
  readonly listeners: readonly Listener[]
  readonly #options: StaticFilesOptions
  readonly #prefix: string
  #root = ''

  /** Throws a TypeError that names an option that cannot be used. */
  constructor(options: StaticFilesOptions) {
    checkOptions<StaticFilesOptions>(owner, options, {
      root: text,
      prefix: {
        allowed: 'a path such as /assets/',
        fits: (value) => typeof value === 'string' && /^\/(?:[\w.~-]+\/)*(?:[\w.~-]+)?$/.test(value),
      },
      index: {
        allowed: 'the name of a file, or false',
        fits: (value) => value === false || (typeof value === 'string' && /^[^./\\][^/\\]*$/.test(value)),
      },
      ...fileRules,
    })
    if (typeof options.root !== 'string') throw new TypeError(`Option "root" of ${owner} is missing; allowed: a folder`)
    const { prefix = '/', maxAgeSeconds = 0, immutable = false } = options
    if (immutable && maxAgeSeconds === 0) {
      throw new TypeError(`Option "immutable" of ${owner} needs maxAgeSeconds, for example 31536000: a year`)
    }
    this.#options = options
    this.#prefix = prefix.endsWith('/') ? prefix : `${prefix}/`
    this.name = `static files ${this.#prefix}`
    this.listeners = [{ name: this.name, onMiss: (exchange, allow) => this.#onMiss(exchange, allow) }]
  }

  /** Rejects for a folder that is not there, and for one that would publish the application itself. */
  async start({ settings: { projectRoot } }: Services): Promise<void> {
    const { root } = this.#options
    this.#root = path.resolve(projectRoot, root)
    const found = await stat(this.#root).catch(() => null)
    if (found?.isDirectory() !== true) {
      throw new Error(`Option "root" of ${owner} is "${root}", and there is no folder ${this.#root}`)
    }
    if (
      `${projectRoot}${path.sep}`.startsWith(this.#root.endsWith(path.sep) ? this.#root : `${this.#root}${path.sep}`)
    ) {
      throw new Error(
        `Option "root" of ${owner} is "${root}", which has the application in it; name a folder of public files`,
      )
    }
  }

  async #onMiss(exchange: Exchange, allow: readonly string[]): Promise<Reply | undefined> {
    const { request } = exchange
    if (!request.path.startsWith(this.#prefix)) return undefined
    const names = namesOf(request.path.slice(this.#prefix.length))
    if (names === null) return undefined
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    const found = await this.#find(request, request.method === 'GET' ? 'GET' : 'HEAD', names)
    if (found !== undefined) {
      if (isRead) return found
      throw missError(request, { kind: 'method_not_allowed', allow: [...new Set([...allow, 'GET', 'HEAD'])] })
    }
    exchange.log.debug('There is no public file {file}.', { file: [this.#options.root, ...names].join('/') })
    return undefined
  }

  async #find(request: HttpRequest, method: 'GET' | 'HEAD', names: readonly string[]): Promise<Reply | undefined> {
    const { index = 'index.html', ...options } = this.#options
    const asked = { request, method, root: this.#root, names, options }
    const isFolder = names.at(-1) === ''
    if (!isFolder) {
      const found = await findFile(asked)
      if (found !== 'directory') return found
    }
    if (index === false) return undefined
    if (isFolder) {
      const found = await findFile({ ...asked, names: [...names.slice(0, -1), index] })
      return found === 'directory' ? undefined : found
    }
    const hasIndex = (await findFile({ ...asked, method: 'HEAD', names: [...names, index] })) instanceof Reply
    // Links of the page are relative to the folder. The path begins with one slash: every name in it is a plain one.
    return hasIndex
      ? redirect(`${request.path}/${request.rawQuery === '' ? '' : `?${request.rawQuery}`}`, { status: 301 })
      : undefined
  }
}

/** The parts of a path; `null` if it cannot be decoded. */
function namesOf(path: string): readonly string[] | null {
  try {
    return path.split('/').map(decodeURIComponent)
  } catch {
    return null
  }
}

/** Makes the plugin. Routes win over files, and a path that leads to no file is a 404 as always. */
export function staticFiles(options: StaticFilesOptions): Plugin {
  return new StaticFilesPlugin(options)
}

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

const fileRules: OptionRules<FileOptions> = {
  maxAgeSeconds: wholeNumberRule,
  immutable: flag,
  headers: { allowed: 'a record of header fields', fits: (value) => typeof value === 'object' && value !== null },
}

/** Request headers that decide how much of a file is sent. */
const conditions = ['cache-control', 'if-match', 'if-modified-since', 'if-none-match', 'if-unmodified-since'] as const
const ranges = ['range', 'if-range'] as const

type Found = Reply | 'directory' | undefined

/**
 * Opens a file. A path that could lead out of the root, and one with a name that begins with a dot, leads to nothing (but for
 * `.well-known` in front, RFC 8615). Throws an `HttpError` for conditions and ranges that cannot be met (412, 416), and an Error for a
 * file that cannot be read.
 */
async function findFile({ request, method, root, names, options }: FileRequest): Promise<Found> {
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
