// Adds the toolbar to HTML pages in debug, and `Server-Timing` to every recorded response.

import { Readable, pipeline } from 'node:stream'
import { createNonce } from '../../../framework/html/document.ts'
import { parseMediaType } from '../../../framework/http/media-type.ts'
import { Reply, type ReplyBody } from '../../../framework/http/reply.ts'
import type { HttpRequest } from '../../../framework/http/request.ts'
import { describeFailure } from '../../../framework/kernel/describe-failure.ts'
import type { Exchange } from '../../../framework/kernel/exchange.ts'
import { inSpan } from '../../../framework/kernel/in-span.ts'
import type { Listener } from '../../../framework/kernel/listener.ts'
import { redirectsName, type RedirectStep } from '../../request-record.ts'
import type { Recording } from '../../../framework/recording/recording.ts'
import type { ProfilerAccess } from '../profiler-access.ts'
import { admitNonce } from './admit-nonce.ts'
import { declaresPolicy, pageEnd, ToolbarStream } from './page-end.ts'
import { RedirectTrail } from './redirect-trail.ts'
import { renderToolbar, toolbarFacts, type ToolbarItemReader } from './toolbar.ts'

interface ToolbarOptions {
  readonly profilerPath: string
  readonly access: ProfilerAccess
  readonly items?: readonly ToolbarItemReader[]
}

/** The last listener of an application in debug: it must see headers and body as they leave. */
export class ToolbarListener implements Listener {
  readonly name = 'toolbar'
  readonly isInstrumentation = true
  readonly #options: ToolbarOptions
  readonly #redirects = new RedirectTrail()

  constructor(options: ToolbarOptions) {
    this.#options = options
  }

  /** Returns a new reply: the application may send the one it has again. */
  async onResponse(exchange: Exchange, reply: Reply): Promise<Reply | undefined> {
    const { recording, request } = exchange
    if (recording === undefined) return undefined
    try {
      const redirects = this.#redirects.follow(request)
      if (redirects.length > 0) recording.keep(redirectsName, redirects)
      this.#redirects.note(request, reply, recording.token, redirects)
      const timed = withTiming(reply, recording)
      // An error page shows everything that the toolbar could.
      if (exchange.failure !== undefined || !isPage(reply) || !asksForPage(request)) return timed
      if (!(await this.#options.access.admits(request))) return timed
      // Pages with a toolbar take longer, which their timeline shows.
      const drawn = await inSpan(recording, `${this.name} onResponse`, 'listener', () =>
        this.#withToolbar(exchange, recording, timed, redirects),
      )
      return drawn ?? timed
    } catch (thrown) {
      return noteFailure(recording, thrown)
    }
  }

  #withToolbar(
    exchange: Exchange,
    recording: Recording,
    reply: Reply,
    redirects: readonly RedirectStep[],
  ): Reply | undefined {
    const { profilerPath, items = [] } = this.#options
    const nonce = createNonce()
    const headers = admitNonce(reply.headers, nonce)
    if (headers === null) return undefined
    const render = (): string => {
      const found = items.flatMap((read) => read(exchange) ?? [])
      const facts = toolbarFacts(exchange, recording, { status: reply.status, redirects, items: found })
      return renderToolbar(facts, { profilerPath, nonce })
    }
    const body = insert(reply.body, guarded(render))
    return body === null ? undefined : new Reply(reply.status, headers, body).removeHeader('content-length')
  }
}

function noteFailure(recording: Recording, thrown: unknown): undefined {
  const { errorClass, message } = describeFailure(thrown)
  recording.note('toolbar', `The toolbar could not be rendered: ${errorClass}: ${message}`.slice(0, 500))
}

function withTiming({ status, headers, body }: Reply, recording: Recording): Reply {
  return new Reply(status, [...headers, 'server-timing', serverTiming(recording)], body)
}

/** Charsets in which a byte below 128 is ASCII wherever it stands. */
const charsets: ReadonlySet<string> = new Set([
  'utf-8',
  'utf8',
  'us-ascii',
  'ascii',
  'iso-8859-1',
  'latin1',
  'windows-1252',
])

/** Fields that say something of the very bytes: an encoding, a part, a sum. */
const bodyFields = ['content-encoding', 'content-range', 'content-digest', 'repr-digest', 'digest', 'content-md5']

/** What the type of every page begins with: most answers are looked into no further. */
const startsLikeHtml = /^\s*text\/html/i

/** Whether the answer is a whole HTML page to be looked at, whose bytes may change. */
function isPage(reply: Reply): boolean {
  const type = reply.header('content-type')
  if (type === undefined || !startsLikeHtml.test(type)) return false
  const { essence, charset } = parseMediaType(type)
  if (essence !== 'text/html' || !charsets.has(charset)) return false
  if (reply.header('content-disposition')?.trim().toLowerCase().startsWith('attachment') === true) return false
  return !bodyFields.some((name) => reply.header(name) !== undefined)
}

/** Whether the client wants a page, not a piece of one: browsers say so, and libraries that fetch pieces do. */
function asksForPage(context: HttpRequest): boolean {
  const destination = context.header('sec-fetch-dest')
  return (destination ?? 'document') === 'document' && context.header('x-requested-with') === undefined
}

/** The body with the toolbar in it; `null` where there is no place for one. */
function insert(body: ReplyBody, render: () => string): ReplyBody {
  if (body === null) return null
  if (typeof body === 'string') return declaresPolicy(body) ? null : insertText(body, render)
  if (body instanceof Uint8Array) {
    const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
    const text = bytes.toString('latin1')
    return declaresPolicy(text) ? null : Buffer.from(insertText(text, render), 'latin1')
  }
  const source = body instanceof Readable ? body : Readable.fromWeb(body)
  // Where either end breaks off, the other one does: the sender sees the failure of the page's own stream.
  return pipeline(source, new ToolbarStream(render), () => undefined)
}

function insertText(text: string, render: () => string): string {
  const end = pageEnd(text)
  return text.slice(0, end) + render() + text.slice(end)
}

function guarded(render: () => string): () => string {
  return () => {
    try {
      return render()
    } catch {
      return ''
    }
  }
}

/** `total;dur=12.3, controller;dur=5.1`: constant names, numbers only (SECURITY R15). */
function serverTiming(recording: Recording): string {
  const total = metric('total', recording.durationMs)
  const controllerMs = recording.stopwatch.durationOf('controller')
  return total + (controllerMs === null ? '' : `, ${metric('controller', controllerMs)}`)
}

function metric(name: string, durationMs: number): string {
  return `${name};dur=${durationMs.toFixed(2)}`
}
