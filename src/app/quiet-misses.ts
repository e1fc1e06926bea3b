// Answers requests that no route took, outside debug: prebuilt pages and one log line for all equal misses of a second. The
// answers are those of the error handler, which draws everything else.

import { constantHeaders } from '../errors/error-headers.ts'
import { renderPublicJson } from '../errors/json-renderer.ts'
import { renderPublicMarkdown } from '../errors/markdown-renderer.ts'
import { createReference } from '../errors/reference.ts'
import { renderPublicText } from '../errors/text-renderer.ts'
import { preferredFormat, type AnswerFormat } from '../http/accept.ts'
import { Reply } from '../http/reply.ts'
import type { RequestContext } from '../http/request-context.ts'
import { statusText } from '../http/status-text.ts'
import type { MissAnswer } from '../kernel/miss-answer.ts'
import { missMessage, missStatus, type RouteMiss } from '../kernel/route-miss.ts'
import { repeatedMiss, uncaughtError } from '../log/lines.ts'
import type { LogSink } from '../log/logger.ts'
import type { PublicErrorFacts } from '../pages/public-error-page.ts'
import { quietPagePolicy } from '../pages/quiet-page.ts'
import type { Redactor } from '../redact/redactor.ts'
import { renderPublicPage } from './error-pages.ts'

/** What misses are answered with. */
export interface QuietMissesOptions {
  readonly log: LogSink
  readonly redactor: Redactor
  /** How long equal misses share a reference and a line, in milliseconds. Default 1000. */
  readonly windowMs?: number
  /** Different misses that are watched at a time; further ones get a line each. Default 1000. */
  readonly maxOpen?: number
}

/** Equal misses: same method, URL without query, referer. */
interface OpenMiss {
  readonly status: 404 | 405
  readonly reference: string
  readonly message: string
  /** Requests that were answered after the one with the line. */
  repeats: number
  readonly pages: Partial<Record<AnswerFormat, Page>>
}

interface Page {
  readonly headers: readonly string[]
  readonly body: string
}

/** Makes the answers, and sees to it that each reference stands in the log before it is sent. */
export class QuietMisses implements MissAnswer {
  readonly #options: QuietMissesOptions
  readonly #open = new Map<string, OpenMiss>()
  readonly #drawn = new DrawnPages()
  #timer: NodeJS.Timeout | undefined

  constructor(options: QuietMissesOptions) {
    this.#options = options
  }

  answer(context: RequestContext, miss: RouteMiss): Reply {
    const key = `${context.method} ${context.authority}${context.path}\n${context.header('referer') ?? ''}`
    let open = this.#open.get(key)
    if (open === undefined) open = this.#begin(context, miss, key)
    else open.repeats += 1
    const format = preferredFormat(context.header('accept'))
    const page = (open.pages[format] ??= {
      headers: headersOf(forms[format], miss),
      body: this.#drawn.page(open.status, format, open.reference),
    })
    return new Reply(open.status, page.headers.slice(), page.body)
  }

  /** Writes what has been counted. Call it before the log ends. */
  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    for (const { status, reference, message, repeats } of this.#open.values()) {
      if (repeats > 0) this.#options.log.write(repeatedMiss({ message, statusCode: status, reference, repeats }))
    }
    this.#open.clear()
  }

  #begin(context: RequestContext, miss: RouteMiss, key: string): OpenMiss {
    const { log, redactor, maxOpen = 1000, windowMs = 1000 } = this.#options
    const status = missStatus(miss)
    const open: OpenMiss = {
      status,
      reference: createReference(),
      message: redactor.text(missMessage(context, miss)),
      repeats: 0,
      pages: {},
    }
    const errorClass = status === 404 ? 'NotFoundHttpError' : 'MethodNotAllowedHttpError'
    log.write(uncaughtError({ errorClass, message: open.message, statusCode: status, reference: open.reference }))
    if (this.#open.size >= maxOpen) return open
    this.#open.set(key, open)
    this.#timer ??= setTimeout(() => this.flush(), windowMs).unref()
    return open
  }
}

const forms: Readonly<Record<AnswerFormat, Form>> = {
  html: { type: 'text/html; charset=utf-8', render: renderPublicPage, policy: quietPagePolicy },
  json: { type: 'application/problem+json', render: renderPublicJson },
  markdown: { type: 'text/markdown; charset=utf-8', render: renderPublicMarkdown },
  text: { type: 'text/plain; charset=utf-8', render: renderPublicText },
}

interface Form {
  readonly type: string
  readonly render: (facts: PublicErrorFacts) => string
  readonly policy?: string
}

/** Header fields as the error handler writes them outside debug. */
function headersOf({ type, policy }: Form, miss: RouteMiss): string[] {
  const headers = ['content-type', type, ...constantHeaders]
  if (policy !== undefined) headers.push('content-security-policy', policy)
  if (miss.kind === 'method_not_allowed') headers.push('Allow', miss.allow.join(', '))
  return headers
}

/** Two pages of a status and a format differ in their reference only: each is drawn once, and its two ends are kept. */
class DrawnPages {
  readonly #ends = new Map<string, readonly [head: string, tail: string]>()

  /** The page with a reference. */
  page(statusCode: number, format: AnswerFormat, reference: string): string {
    const key = `${statusCode} ${format}`
    let ends = this.#ends.get(key)
    if (ends === undefined) {
      const drawn = forms[format].render({ statusCode, statusText: statusText(statusCode), reference: mark })
      const [head = '', tail = ''] = drawn.split(mark)
      ends = [head, tail]
      this.#ends.set(key, ends)
    }
    return ends[0] + reference + ends[1]
  }
}

const mark = 'the-reference'
