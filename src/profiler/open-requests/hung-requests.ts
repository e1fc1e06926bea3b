// Explains in the log the requests that do not respond.

import { clearInterval, setInterval } from '../../framework/timing/builtins.ts'
import type { Exchange } from '../../framework/kernel/exchange.ts'
import type { OpenExchangeList } from '../../framework/kernel/open-exchanges.ts'
import { abandonedRequest, hungRequest, type OpenRequestFacts } from '../../framework/log/profiler-lines.ts'
import type { Redactor } from '../../framework/redact/redactor.ts'
import { describeOpenRequest, type OpenRequest, type Standing } from './open-requests.ts'

interface HungRequestsOptions {
  readonly open: OpenExchangeList
  readonly redactor: Redactor
  /** After how long a request without a response is explained, in milliseconds; 0: never. */
  readonly afterMs: number
}

/** Longest time between two looks, in milliseconds. */
const maxLookMs = 1000
/** A request that is younger is not asked whether its client went away, in milliseconds. */
const minAbandonedMs = 1000
/** Lines of one look; under a flood of requests that hang, the first ones say what there is to say. */
const maxLines = 20

export class HungRequests {
  readonly #options: HungRequestsOptions
  readonly #told = new WeakMap<Exchange, 'hung' | 'abandoned'>()
  #timer: NodeJS.Timeout | undefined

  constructor(options: HungRequestsOptions) {
    this.#options = options
  }

  /** Begins to look. The timer keeps no process alive. */
  start(): void {
    const { afterMs } = this.#options
    if (afterMs === 0 || this.#timer !== undefined) return
    this.#timer = setInterval(this.look, Math.max(10, Math.min(maxLookMs, afterMs / 4)))
    this.#timer.unref()
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  /** Writes a line for each request without a response for too long, or whose client went away meanwhile: each once. */
  readonly look = (): void => {
    const { open, afterMs } = this.#options
    let lines = 0
    for (const exchange of open) {
      if (lines >= maxLines) return
      const ageMs = exchange.recording?.stopwatch.elapsedMs() ?? 0
      // The list begins with the oldest.
      if (ageMs < Math.min(afterMs, minAbandonedMs)) return
      if (exchange.reply !== undefined) continue
      if (this.#tell(exchange, ageMs)) lines += 1
    }
  }

  #tell(exchange: Exchange, ageMs: number): boolean {
    const told = this.#told.get(exchange)
    const isGone = exchange.client?.destroyed === true
    const news = isGone ? 'abandoned' : ageMs >= this.#options.afterMs ? 'hung' : undefined
    if (news === undefined || told === news || told === 'abandoned') return false
    const request = describeOpenRequest(exchange, this.#options.redactor)
    if (request === undefined) return false
    this.#told.set(exchange, news)
    exchange.log.write((isGone ? abandonedRequest : hungRequest)(factsOf(request)))
    return true
  }
}

function factsOf(request: OpenRequest): OpenRequestFacts {
  const { method, url, route, ageMs, token, lastLog } = request
  return { method, url, route, token, lastLog, seconds: seconds(ageMs), standing: whereItStands(request) }
}

/** `in the handler "product" for 9.9 s; it waits for SELECT shop (SELECT …), for 9.8 s`. */
function whereItStands({ stands, running, runningCount, lastCall, ageMs }: OpenRequest): string {
  const place = standingText(stands)
  if (running === null) {
    const isOfStep = lastCall !== null && lastCall.startMs >= ageMs - (stands.forMs ?? 0)
    const last = isOfStep ? `; its last call, ${lastCall.name}, is over` : ''
    return `${place}${last}; nothing that is recorded runs: it may wait for a promise that nobody settles`
  }
  const detail = running.detail === null ? '' : ` (${running.detail})`
  const others = runningCount > 1 ? `, and for ${runningCount - 1} more` : ''
  return `${place}; it waits for ${running.name}${detail}, for ${seconds(ageMs - running.startMs)} s${others}`
}

function standingText({ place, name, forMs }: Standing): string {
  const since = forMs === null ? '' : ` for ${seconds(forMs)} s`
  switch (place) {
    case 'handler':
      return `in the handler "${name ?? ''}"${since}`
    case 'error page':
      return `in the error page${since}`
    case 'sending':
      return 'sending the response'
    case 'between':
      return 'between two steps'
    default:
      return `in the listener "${name ?? ''}" at ${place}${since}`
  }
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(1)
}
