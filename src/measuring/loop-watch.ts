// Keeps account of which request the event loop runs for, and what delayed it.

import { max } from '../base/timing/builtins.ts'
import { RequestMeter, type MeteredRequest } from './request-meter.ts'

/** Where the watch reads the time. */
export interface LoopClocks {
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number
  /** Milliseconds that the loop has spent waiting for events since the start. */
  readonly idle: () => number
  /** Runs `turned` once, when the loop has run what was ready and before it looks for more; holds no process. */
  readonly onTurn: (turned: () => void) => void
  /** Default: nobody tells, and all that passes counts as work. */
  readonly processor?: () => ProcessorTimes
}

/** What the system tells of this thread, in milliseconds since it began. */
export interface ProcessorTimes {
  /** On a processor. */
  readonly ranMs: number
  /** Ready, but without one; `null` if it does not tell. */
  readonly delayedMs: number | null
}

/** A connection, and since when it could have been accepted. On the clock of the process, in milliseconds. */
export interface AcceptedConnection {
  readonly atMs: number
  readonly readyMs: number
  /** When the last request on it ended: the next one was sent after that. */
  freeMs?: number
}

interface Arrival {
  /** When it was read, on the clock of the process, in milliseconds. */
  readonly arrivedMs: number
  /** `undefined` if unknown. */
  readonly connection?: AcceptedConnection | undefined
}

/** A stretch of so many milliseconds is remembered, to tell whom it was in the way of. */
export const longStretchMs = 5
/** Waits below this, in milliseconds, are not examined. */
const worthBlamingMs = 1
/** Idle time below this, in milliseconds, does not count: the counter rises a little each time Node looks for events. */
const idleResolutionMs = 0.02
/** How old what the system tells may be, in milliseconds. */
const timesFreshMs = 5
/** A synchronous wait counts as work of who waits, if the thread lacked a processor for at most this share of it. */
const maxDelayedShare = 0.1
/** After it lacked one for so many milliseconds, waits of the next second may be for others of the process that lack one, too. */
const starvedMs = 10
const starvedForMs = 1000
/** How long the loop may be busy, in milliseconds, before its turns are told apart. */
const busyLongMs = 2

/** One for each application: it sees the stretches of its own requests, and all others as work outside them. */
export class LoopWatch {
  readonly #clocks: LoopClocks
  readonly #long = new LongStretches()
  #current: RequestMeter | undefined
  #sinceMs: number
  #idleMs: number
  /** Since when the loop has not waited for events. */
  #busySinceMs: number
  /** Ends of the last two turns, if they were watched. What was ready before the older one ran by the newer one. */
  #turnMs = Number.NEGATIVE_INFINITY
  #olderTurnMs = Number.NEGATIVE_INFINITY
  #turnIdleMs = 0
  #isTurnAwaited = false
  #times: ProcessorTimes | undefined
  #timesReadMs = Number.NEGATIVE_INFINITY
  #starvedAtMs = Number.NEGATIVE_INFINITY
  /** How long the thread, or what it waited for in a stretch, lacked a processor. */
  #lostMs = 0
  #hasBegun = false

  constructor(clocks: LoopClocks) {
    this.#clocks = clocks
    this.#sinceMs = clocks.now()
    this.#busySinceMs = this.#sinceMs
    this.#idleMs = clocks.idle()
  }

  /** Begins to measure a request now, in code that runs for it. Nobody is blamed for what ran between arrival and now. */
  begin(request: MeteredRequest, { arrivedMs, connection }: Arrival): RequestMeter {
    const nowMs = this.#clocks.now()
    this.#leave(nowMs)
    // The first one waited for nothing but the start of the profiler.
    if (!this.#hasBegun) this.#busySinceMs = nowMs
    this.#hasBegun = true
    const readyMs = this.#readyAfter(connection)
    const meter = new RequestMeter(request, this, nowMs)
    if (arrivedMs - readyMs >= worthBlamingMs) {
      meter.heldBackMs = this.#long.blame(meter, readyMs, arrivedMs, hasNotResponded)
    }
    this.#current = meter
    meter.delayedMs = -this.#lostMs
    return meter
  }

  accept(): AcceptedConnection {
    return { atMs: this.#clocks.now(), readyMs: this.#readyAfter() }
  }

  /** From now on this library works for a request, as it does before each response. */
  pause(meter: RequestMeter): void {
    meter.hasPaused = true
    if (meter === this.#current) this.enter(undefined)
  }

  /** It goes on, and has waited for nobody. */
  goOn(meter: RequestMeter): void {
    const nowMs = this.#clocks.now()
    this.#leave(nowMs)
    meter.offMs = nowMs
    this.#current = meter
  }

  /** From now on the loop runs for `meter`, or for nobody. */
  enter(meter: RequestMeter | undefined): void {
    if (meter !== this.#current) this.#resume(meter, this.#clocks.idle())
  }

  /** As `enter`, where the loop may have waited for events since it was told last. */
  enterFromLoop(meter: RequestMeter | undefined): void {
    const idleMs = this.#clocks.idle()
    if (meter !== this.#current || idleMs - this.#idleMs >= idleResolutionMs) this.#resume(meter, idleMs)
  }

  get current(): RequestMeter | undefined {
    return this.#current
  }

  /** Milliseconds that code of the request has run, the running stretch included. */
  ownMs(meter: RequestMeter): number {
    return meter.ownMs + (meter === this.#current ? this.#clocks.now() - this.#sinceMs : 0)
  }

  /** Ends the account of a request. Later calls change nothing. */
  end(meter: RequestMeter): void {
    if (meter.endedMs !== undefined) return
    const nowMs = this.#clocks.now()
    if (meter === this.#current || this.#current === undefined) this.#leave(nowMs)
    meter.endedMs = nowMs
    meter.delayedMs += this.#lostMs
  }

  #resume(meter: RequestMeter | undefined, idleMs: number): void {
    const nowMs = this.#clocks.now()
    this.#leave(nowMs, idleMs)
    this.#current = meter
    if (meter === undefined) return
    const readyMs = max(meter.offMs, this.#readyAfter())
    const waitedMs = nowMs - readyMs
    // What comes after the response is no part of the request.
    if (waitedMs <= 0 || meter.hasPaused || meter.endedMs !== undefined) return
    meter.waited(waitedMs)
    if (waitedMs >= worthBlamingMs) this.#long.blame(meter, readyMs, nowMs)
  }

  /** Ends the running stretch. The part of the time in which the loop waited for events lies at its end. */
  #leave(nowMs: number, idleMs = this.#clocks.idle()): void {
    const idledMs = idleMs - this.#idleMs
    const endMs = max(this.#sinceMs, idledMs < idleResolutionMs ? nowMs : nowMs - idledMs)
    const meter = this.#current
    // Read behind the end of one stretch and before the next begins: what comes between, and a pause of the system there, is nobody's.
    const before = this.#times
    const isRead = this.#clocks.processor !== undefined && nowMs - this.#timesReadMs >= timesFreshMs
    if (isRead) {
      this.#timesReadMs = nowMs
      this.#times = this.#clocks.processor()
    }
    const tookMs = endMs - this.#sinceMs
    const delayedMs = (this.#times?.delayedMs ?? 0) - (before?.delayedMs ?? this.#times?.delayedMs ?? 0)
    if (delayedMs >= starvedMs) this.#starvedAtMs = nowMs
    const isStarved = nowMs - this.#starvedAtMs < starvedForMs || delayedMs > tookMs * maxDelayedShare
    const workMs = isRead ? workIn(tookMs, isStarved, before, this.#times) : tookMs
    this.#lostMs += max(delayedMs, tookMs - workMs)
    meter?.ran(this.#sinceMs, endMs, workMs)
    if (workMs >= longStretchMs) {
      // What a request sets off and leaves behind is not its own any more: the writing of profiles, for one.
      const owner = meter?.endedMs === undefined ? meter : undefined
      this.#long.add({ meter: owner, fromMs: endMs - workMs, toMs: endMs })
    }
    if (idledMs >= idleResolutionMs) this.#busySinceMs = nowMs
    else if (nowMs - this.#busySinceMs > busyLongMs) this.#awaitTurn(idleMs)
    this.#sinceMs = isRead ? this.#clocks.now() : nowMs
    this.#idleMs = idleMs
  }

  /**
   * Since when what runs now can have been ready: else the loop would have run it already. A connection is accepted in one turn and
   * read in the next, so its first request was ready when the connection was.
   */
  #readyAfter(connection?: AcceptedConnection): number {
    const isNew = connection !== undefined && connection.atMs >= this.#olderTurnMs
    const readyMs = isNew ? connection.readyMs : this.#olderTurnMs
    return max(this.#busySinceMs, readyMs, connection?.freeMs ?? readyMs)
  }

  #awaitTurn(idleMs: number): void {
    if (this.#isTurnAwaited) return
    this.#isTurnAwaited = true
    this.#turnIdleMs = idleMs
    this.#clocks.onTurn(this.#noteTurn)
  }

  readonly #noteTurn = (): void => {
    this.#isTurnAwaited = false
    this.#olderTurnMs = this.#turnMs
    this.#turnMs = this.#clocks.now()
    const idleMs = this.#clocks.idle()
    if (idleMs - this.#turnIdleMs < idleResolutionMs) this.#awaitTurn(idleMs)
  }
}

/** How much of a stretch the thread worked. Where it lacked a processor, it may also have slept for others of the process that lacked one. */
function workIn(
  tookMs: number,
  isStarved: boolean,
  before: ProcessorTimes | undefined,
  after: ProcessorTimes | undefined,
): number {
  if (before === undefined || after === undefined) return tookMs
  const isUnknown = isStarved || after.delayedMs === null
  const mostMs = isUnknown ? after.ranMs - before.ranMs : tookMs - (after.delayedMs - (before.delayedMs ?? 0))
  return Math.min(tookMs, max(0, mostMs))
}

/** A stretch in which nothing else could run, at least as long as it says. */
interface LongStretch {
  /** The request that it belongs to; `undefined` for work outside every recorded request. */
  readonly meter: RequestMeter | undefined
  readonly fromMs: number
  readonly toMs: number
}

/** Stretches kept at most. */
const size = 64
/** Stretches that are named for one wait, at most. */
const maxFound = 8
/** Overlaps below this, in milliseconds, are not worth a line. */
const minOverlapMs = 1

/** What is read now overlaps such a request; it may else have been sent after the response. */
function hasNotResponded({ meter }: LongStretch): boolean {
  return meter !== undefined && !meter.hasPaused && meter.endedMs === undefined
}

/** Finds out who was in whose way. */
class LongStretches {
  readonly #ring: LongStretch[] = []
  #next = 0
  #newestEndMs = Number.NEGATIVE_INFINITY

  /** Adds a stretch; they end one after another. */
  add(stretch: LongStretch): void {
    this.#ring[this.#next] = stretch
    this.#next = (this.#next + 1) % size
    this.#newestEndMs = stretch.toMs
  }

  /**
   * Notes on both sides which stretches of others fell between the two times while `meter` waited, and gives how long they were.
   * `isProven` is asked of each. Default: all are.
   */
  blame(meter: RequestMeter, fromMs: number, toMs: number, isProven?: (stretch: LongStretch) => boolean): number {
    let sumMs = 0
    if (this.#newestEndMs <= fromMs) return sumMs
    const found: LongStretch[] = []
    // From the newest back; they end one after another.
    for (let back = 1; back <= this.#ring.length && found.length < maxFound; back += 1) {
      const stretch = this.#ring[(this.#next - back + size) % size]
      if (stretch === undefined || stretch.toMs <= fromMs) break
      if (stretch.meter === meter || isProven?.(stretch) === false) continue
      if (Math.min(stretch.toMs, toMs) - max(stretch.fromMs, fromMs) >= minOverlapMs) found.push(stretch)
    }
    for (const stretch of found.reverse()) {
      const times = { fromMs: max(stretch.fromMs, fromMs), toMs: Math.min(stretch.toMs, toMs) }
      meter.note('blockers', { request: stretch.meter?.request ?? null, ...times })
      stretch.meter?.note('victims', { request: meter.request, ...times })
      sumMs += times.toMs - times.fromMs
    }
    return sumMs
  }
}
