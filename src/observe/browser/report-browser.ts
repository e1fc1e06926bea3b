// Reports the errors and the speed of a page to the profiler. Runs in browsers: the toolbar puts the text of the function into
// pages, so it uses nothing but what is inside it.

/** What the function uses of a page; Node's types do not know pages. */
interface Page {
  readonly document: { readonly readyState: string; readonly visibilityState: string; addEventListener: Listen }
  readonly location: { readonly href: string }
  readonly navigator: { sendBeacon?(address: string, body: string): boolean }
  readonly performance: {
    now(): number
    getEntriesByType(type: string): readonly NavigationTiming[]
    readonly interactionCount?: number
  }
  readonly PerformanceObserver: {
    readonly supportedEntryTypes?: readonly string[]
    new (seen: (list: { getEntries(): readonly Entry[] }) => void): {
      observe(options: { readonly type: string; readonly buffered: true; readonly durationThreshold?: number }): void
    }
  }
  addEventListener: Listen
  [mark: symbol]: BrowserReporting
}

type Listen = (type: string, listener: (event: PageEvent) => void) => void

interface PageEvent {
  readonly error?: unknown
  readonly reason?: unknown
  readonly message?: string
  readonly filename?: string
  readonly lineno?: number
  readonly colno?: number
}

/** An entry of any type: each has some of these. */
interface Entry {
  readonly name: string
  readonly startTime: number
  readonly duration: number
  readonly value: number
  readonly hadRecentInput: boolean
  readonly interactionId: number
}

type NavigationTiming = Readonly<Record<string, number>> & { readonly type: string; toJSON(): object }

/** What the toolbar shows of it, in the page under `Symbol.for('fanlight.browser')`. */
interface BrowserReporting {
  /** Errors so far, repeated ones too. */
  errors: number
  /** Called for each error. */
  changed(): void
}

/**
 * Reports uncaught errors, unhandled rejections, `console.error`, web vitals and the timing of the navigation to `address`, an address of
 * the page's own origin. Once for each page: further calls do nothing. Call it in development only, before other scripts run.
 */
export function reportBrowser(address: string = '/_profiler/browser'): void {
  const page = Object(globalThis) as Page
  const { console, fetch } = globalThis
  const { document, location, navigator, performance, PerformanceObserver: Observer } = page
  const mark = Symbol.for('fanlight.browser')
  if (mark in page) return
  const reporting: BrowserReporting = { errors: 0, changed() {} }
  Object.defineProperty(page, mark, { value: reporting })

  /** Names this view of the page. */
  const view = Math.random().toString(36).slice(2, 12)
  const known = new Map<string, { count: number }>()
  const unsent: object[] = []
  let dropped = 0
  let sent = 0
  let timer: unknown
  let isLoaded = false
  let reported = ''

  const isErrorLike = (value: unknown): value is Error =>
    typeof value === 'object' && value !== null && 'stack' in value
  const text = (value: unknown, length: number): string => {
    let parts = 0
    try {
      if (typeof value !== 'object' || isErrorLike(value)) return String(value as string).slice(0, length)
      // Large values are not worth the time.
      const json = JSON.stringify(value, (_key, part: unknown) => {
        if (parts++ > 99) throw parts
        return part
      })
      return json.slice(0, length)
    } catch {
      return Object.prototype.toString.call(value)
    }
  }
  const chainOf = (thrown: unknown): { name: string; message: string; stack: string }[] => {
    const chain = []
    let next = thrown
    do {
      const error = isErrorLike(next) ? next : undefined
      const { name: className = '' } = error?.constructor ?? {}
      const name = error?.name === 'Error' && className.length > 2 ? className : error?.name
      chain.push({
        name: text(name ?? typeof next, 100),
        message: text(error ? error.message : next, 1000),
        stack: text(error?.stack ?? '', 4000),
      })
      next = error?.cause
    } while (next !== undefined && chain.length < 4)
    return chain
  }

  /** Never throws: the page must not notice. */
  const note = (kind: string, thrown: unknown, place = ''): void => {
    try {
      const chain = chainOf(thrown)
      const key = kind + place + text(chain, 9000)
      reporting.errors++
      const repeated = known.get(key)
      if (repeated) repeated.count++
      else if (known.size > 19) dropped++
      else {
        const error = { number: known.size, kind, count: 1, url: text(location.href, 2000), place, chain }
        known.set(key, error)
        unsent.push(error)
      }
      timer ??= setTimeout(send, repeated ? 5000 : 300)
      reporting.changed()
    } catch {}
  }

  page.addEventListener('error', ({ error, message = '', filename = '', lineno = 0, colno = 0 }) => {
    // Browsers report this for layouts that settle with the next frame.
    if (!error && message.startsWith('ResizeObserver loop')) return
    if (error || message) note('error', error ?? message, filename && `${filename}:${lineno}:${colno}`)
  })
  page.addEventListener('unhandledrejection', ({ reason }) => note('rejection', reason))
  const { error: print } = console
  console.error = function error(...values: unknown[]) {
    try {
      const [format, ...rest] = values
      const next = (): string => text(rest.shift(), 500)
      const said =
        typeof format === 'string'
          ? format.replace(/%[sdifoOc]/g, (sign) => (sign === '%c' ? next() && '' : next()))
          : text(format, 500)
      const cause = values.find(isErrorLike)
      const line = new Error([said, ...rest.map((value) => text(value, 500))].join(' '), { cause })
      line.name = 'console.error'
      // Without this function, where the browser can leave it out.
      Error.captureStackTrace?.(line, console.error)
      note('console', cause !== undefined && values.length === 1 ? cause : line)
    } catch {}
    return print.apply(this, values)
  }

  /** Milliseconds, or `null` if nothing was measured. */
  const vitals: Record<string, number | null> = { fcpMs: null, lcpMs: null, cls: null, inpMs: null }
  let hiddenAt = document.visibilityState === 'hidden' ? 0 : Infinity
  const observe = (type: string, seen: (entry: Entry) => void): void => {
    if (Observer?.supportedEntryTypes?.includes(type)) {
      const observer = new Observer((list) => list.getEntries().forEach(seen))
      observer.observe({ type, buffered: true, durationThreshold: 40 })
    }
  }
  const paint = (name: string) => (entry: Entry) => {
    if (entry.startTime < hiddenAt && (name === 'lcpMs' || entry.name === 'first-contentful-paint')) {
      vitals[name] = entry.startTime
    }
  }
  observe('paint', paint('fcpMs'))
  observe('largest-contentful-paint', paint('lcpMs'))
  // The largest sum of shifts that follow each other within a second, five seconds at most.
  let [shifts, firstShift, lastShift] = [0, 0, 0]
  if (Observer?.supportedEntryTypes?.includes('layout-shift')) vitals['cls'] = 0
  observe('layout-shift', ({ startTime, value, hadRecentInput }) => {
    if (hadRecentInput) return
    if (startTime - lastShift > 1000 || startTime - firstShift > 5000) [shifts, firstShift] = [0, startTime]
    lastShift = startTime
    shifts += value
    vitals['cls'] = Math.max(vitals['cls'] ?? 0, shifts)
  })
  // The slowest interaction, but for one in fifty.
  const interactions = new Map<number, number>()
  const interact = ({ interactionId, duration }: Entry): void => {
    if (!interactionId) return
    interactions.set(interactionId, Math.max(duration, interactions.get(interactionId) ?? 0))
    const slowest = [...interactions].sort(([, one], [, other]) => other - one).slice(0, 10)
    const count = performance.interactionCount ?? slowest.length
    vitals['inpMs'] = slowest[Math.min(slowest.length - 1, Math.floor(count / 50))]?.[1] ?? null
    if (interactions.size > 10)
      for (const [id] of interactions) if (!slowest.some(([one]) => one === id)) interactions.delete(id)
  }
  observe('event', interact)
  observe('first-input', interact)

  function send(): void {
    clearTimeout(timer as number)
    timer = undefined
    const isHidden = document.visibilityState === 'hidden'
    do {
      const errors: object[] = []
      for (let size = 0; size < 2e4 && unsent.length > 0; size += text(errors.at(-1), 2e4).length) {
        errors.push(...unsent.splice(0, 1))
      }
      const [navigation] = performance.getEntriesByType('navigation')
      const facts =
        isLoaded || isHidden
          ? { vitals, navigation, dropped, counts: [...known.values()].map(({ count }) => count) }
          : undefined
      const body = JSON.stringify({ view, url: text(location.href, 2000), errors, facts })
      if (body === reported || sent++ > 40) return
      if (errors.length === 0) reported = body
      if (!navigator.sendBeacon?.(address, body)) fetch(address, { method: 'POST', body }).catch(() => undefined)
    } while (unsent.length > 0)
  }

  const loaded = (): unknown =>
    setTimeout(() => {
      isLoaded = true
      send()
    }, 2000)
  if (document.readyState === 'complete') loaded()
  else page.addEventListener('load', loaded)
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState !== 'hidden') return
    hiddenAt = Math.min(hiddenAt, performance.now())
    send()
  })
  page.addEventListener('pagehide', send)
}
