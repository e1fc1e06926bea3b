// Adds the toolbar to HTML pages in debug, and `Server-Timing` to every recorded response.

import { Readable, pipeline } from 'node:stream'
import type { Awaitable } from '../../base/members.ts'
import { Reply, type ReplyBody, Upgrade } from '../../base/http/reply.ts'
import { describeFailure } from '../../http/kernel/describe-failure.ts'
import type { Exchange } from '../../http/kernel/exchange.ts'
import { inSpan, type Recording } from '../../http/recording/recording.ts'
import type { Listener } from '../../http/kernel/listener.ts'
import type { ProfilerAccess } from '../profiler-access.ts'
import { declaresPolicy, pageEnd, ToolbarStream, type PageParts, pageStart } from './page-edges.ts'
import { isPage, serverTiming, type PageToolbar } from './page-toolbar.ts'

/** The last listener of an application in debug: it must see headers and body as they leave. */
export class ToolbarListener implements Listener {
  readonly name = 'toolbar'
  readonly isInstrumentation = true
  readonly #toolbar: PageToolbar
  readonly #access: ProfilerAccess

  constructor(toolbar: PageToolbar, access: ProfilerAccess) {
    this.#toolbar = toolbar
    this.#access = access
  }

  /** Returns a new reply: the application may send the one it has again. */
  onResponse(exchange: Exchange, reply: Reply): Awaitable<Reply | undefined> {
    const { recording } = exchange
    return recording === undefined ? undefined : this.#changed(exchange, recording, reply)
  }

  async #changed(exchange: Exchange, recording: Recording, reply: Reply): Promise<Reply | undefined> {
    const { request } = exchange
    try {
      const timed = withTiming(reply, exchange, recording)
      // An error page shows everything that the toolbar could.
      if (exchange.failure !== undefined || !isPage(reply) || !this.#toolbar.isWantedBy(request)) return timed
      if (!(await this.#access.admits(request))) return timed
      // Pages with a toolbar take longer, which their timeline shows.
      const drawn = await inSpan(recording, `${this.name} onResponse`, 'listener', () =>
        this.#withToolbar(exchange, recording, timed),
      )
      return drawn ?? timed
    } catch (thrown) {
      return noteFailure(recording, thrown)
    }
  }

  #withToolbar(exchange: Exchange, recording: Recording, reply: Reply): Reply | undefined {
    const plan = this.#toolbar.plan(exchange, recording, reply)
    const body = plan === null ? null : insert(reply.body, plan)
    if (plan === null || body === null) return undefined
    return new Reply(reply.status, plan.headers, body).removeHeader('content-length')
  }
}

function noteFailure(recording: Recording, thrown: unknown): undefined {
  const { errorClass, message } = describeFailure(thrown)
  recording.note('toolbar', `The toolbar could not be rendered: ${errorClass}: ${message}`.slice(0, 500))
}

function withTiming({ status, headers, body }: Reply, exchange: Exchange, recording: Recording): Reply {
  return new Reply(status, [...headers, 'server-timing', serverTiming(exchange, recording)], body)
}

/** The body with both parts in it; `null` if there is no place for them. */
function insert(body: ReplyBody, parts: PageParts): ReplyBody {
  if (body === null || body instanceof Upgrade) return null
  if (typeof body === 'string') return insertText(body, parts)
  if (body instanceof Uint8Array) {
    const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
    const start = Buffer.from(parts.start).toString('latin1')
    const page = insertText(bytes.toString('latin1'), { ...parts, start })
    return page === null ? null : Buffer.from(page, 'latin1')
  }
  const source = body instanceof Readable ? body : Readable.fromWeb(body)
  // Where either end breaks off, the other one does: the sender sees the failure of the page's own stream.
  return pipeline(source, new ToolbarStream(parts), () => undefined)
}

function insertText(text: string, { start, render }: PageParts): string | null {
  const { place, isDocument } = pageStart(text)
  if (!isDocument || declaresPolicy(text)) return null
  const end = pageEnd(text)
  return text.slice(0, place) + start + text.slice(place, end) + render() + text.slice(end)
}
