// Answers requests that no route took, outside debug: prebuilt pages and one log line for all equal misses of a second, and one
// for all beyond the first thousand different ones: whoever tries out paths fills no disk. The answers are those of the error
// handler, which draws everything else.

import { constantHeaders } from '../errors/error-headers.ts'
import { renderPublicJson } from '../errors/json-renderer.ts'
import { renderPublicMarkdown } from '../errors/markdown-renderer.ts'
import { createReference } from '../errors/reference.ts'
import { renderPublicText } from '../errors/text-renderer.ts'
import { preferredFormat, type AnswerFormat } from '../framework/http/accept.ts'
import { Reply } from '../framework/http/reply.ts'
import type { RequestContext } from '../framework/http/request-context.ts'
import { statusText } from '../framework/http/status-text.ts'
import type { MissAnswer } from '../framework/kernel/miss-answer.ts'
import { missMessage, missStatus, type RouteMiss } from '../framework/kernel/route-miss.ts'
import { crowdedMisses, repeatedMiss, uncaughtError } from '../framework/log/lines.ts'
import type { LogSink } from '../framework/log/logger.ts'
import type { PublicErrorFacts } from '../errors/page/public-error-page.ts'
import { quietPagePolicy } from '../errors/page/quiet-page.ts'
import type { Redactor } from '../framework/redact/redactor.ts'
import { renderPublicPage } from './error-pages.ts'

/** What misses are answered with. */
export interface QuietMissesOptions {
  readonly log: LogSink
  readonly redactor: Redactor
  /** How long equal misses share a reference and a line, in milliseconds. Default 1000. */
  readonly windowMs?: number
  /** Different misses of a window that get a line each; further ones share one, for a log has an end too. Default 1000. */
  readonly maxOpen?: number
}

/** Equal misses: same method, URL without query, referer. */
interface OpenMiss {
  readonly miss: RouteMiss
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

/** Makes the answers, and hands each reference to the log before it is sent. */
export class QuietMisses implements MissAnswer {
  readonly #options: QuietMissesOptions
  readonly #open = new Map<string, OpenMiss>()
  /** What stands for all misses beyond the most that are open, by what they allow. */
  readonly #crowds = new Map<string, OpenMiss>()
  readonly #drawn = new DrawnPages()
  /** The miss before: whoever asks for what is not there asks again. */
  #last: { readonly context: RequestContext; readonly referer: string; readonly open: OpenMiss } | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(options: QuietMissesOptions) {
    this.#options = options
  }

  answer(context: RequestContext, miss: RouteMiss): Reply {
    const open = this.#openOf(context, miss)
    const format = preferredFormat(context.header('accept'))
    const page = (open.pages[format] ??= this.#drawn.page(open, format))
    return new Reply(open.status, page.headers.slice(), page.body)
  }

  /** The miss that this one counts with: one that is equal, that of a crowd, or one that begins with it. */
  #openOf(context: RequestContext, miss: RouteMiss): OpenMiss {
    const referer = context.header('referer') ?? ''
    const last = this.#last
    if (last !== undefined && last.referer === referer && isSameMiss(last.context, context)) {
      last.open.repeats += 1
      return last.open
    }
    const key = `${context.method} ${context.scheme}://${context.host}:${context.port}${context.path}\n${referer}`
    const known = this.#open.get(key)
    const shared = known ?? this.#crowdOf(miss)
    const open = shared ?? this.#begin(context, miss, key)
    if (shared !== undefined) shared.repeats += 1
    // Those of a crowd are not equal.
    this.#last = known === undefined ? undefined : { context, referer, open: known }
    return open
  }

  /** Writes what has been counted. Call it before the log ends. */
  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#last = undefined
    for (const misses of [this.#open, this.#crowds]) {
      for (const { status, reference, message, repeats } of misses.values()) {
        if (repeats > 0) this.#options.log.write(repeatedMiss({ message, statusCode: status, reference, repeats }))
      }
      misses.clear()
    }
  }

  /** `undefined` while there is room for one more that is watched on its own. */
  #crowdOf(miss: RouteMiss): OpenMiss | undefined {
    const { log, maxOpen = 1000 } = this.#options
    if (this.#open.size < maxOpen) return undefined
    const key = miss.kind === 'not_found' ? '' : miss.allow.join()
    const crowd = this.#crowds.get(key)
    if (crowd !== undefined) return crowd
    const opened: OpenMiss = {
      miss,
      status: missStatus(miss),
      reference: createReference(),
      message: `requests beyond ${maxOpen} different ones without a route`,
      repeats: 0,
      pages: {},
    }
    this.#crowds.set(key, opened)
    log.write(crowdedMisses({ limit: maxOpen, statusCode: opened.status, reference: opened.reference }))
    return opened
  }

  #begin(context: RequestContext, miss: RouteMiss, key: string): OpenMiss {
    const { log, redactor, windowMs = 1000 } = this.#options
    const status = missStatus(miss)
    const open: OpenMiss = {
      miss,
      status,
      reference: createReference(),
      message: redactor.text(missMessage(context, miss)),
      repeats: 0,
      pages: {},
    }
    const errorClass = status === 404 ? 'NotFoundHttpError' : 'MethodNotAllowedHttpError'
    const line = uncaughtError({ errorClass, message: open.message, statusCode: status, reference: open.reference })
    // Whoever looks for pages that are not there sends thousands a second, and each has a line of its own.
    if (log.writeSoon === undefined) log.write(line)
    else log.writeSoon({ ...line, isTextMasked: true })
    this.#open.set(key, open)
    this.#timer ??= setTimeout(() => this.flush(), windowMs).unref()
    return open
  }
}

function isSameMiss(one: RequestContext, other: RequestContext): boolean {
  const isSameOrigin = one.scheme === other.scheme && one.host === other.host && one.port === other.port
  return isSameOrigin && one.method === other.method && one.path === other.path
}

interface Form {
  readonly render: (facts: PublicErrorFacts) => string
  /** Header fields as the error handler writes them outside debug, without `Allow`. */
  readonly headers: readonly string[]
}

const forms: Readonly<Record<AnswerFormat, Form>> = {
  html: formOf('text/html; charset=utf-8', renderPublicPage, ['content-security-policy', quietPagePolicy]),
  json: formOf('application/problem+json', renderPublicJson),
  markdown: formOf('text/markdown; charset=utf-8', renderPublicMarkdown),
  text: formOf('text/plain; charset=utf-8', renderPublicText),
}

function formOf(type: string, render: Form['render'], further: readonly string[] = []): Form {
  return { render, headers: ['content-type', type, ...constantHeaders, ...further] }
}

/** Two pages of a status and a format differ in their reference only: each is drawn once, and its two ends are kept. */
class DrawnPages {
  readonly #ends = new Map<string, readonly [head: string, tail: string]>()

  /** The page of a miss, with its reference. */
  page({ status, reference, miss }: OpenMiss, format: AnswerFormat): Page {
    const { headers, render } = forms[format]
    const key = `${status} ${format}`
    let ends = this.#ends.get(key)
    if (ends === undefined) {
      const drawn = render({ statusCode: status, statusText: statusText(status), reference: mark })
      const [head = '', tail = ''] = drawn.split(mark)
      ends = [head, tail]
      this.#ends.set(key, ends)
    }
    return {
      headers: miss.kind === 'method_not_allowed' ? [...headers, 'Allow', miss.allow.join(', ')] : headers,
      body: ends[0] + reference + ends[1],
    }
  }
}

const mark = 'the-reference'
