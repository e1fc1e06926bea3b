// Explains an error of a request: hints, where the values of its lines come from, and which lines to change.

import { performance as load } from 'node:perf_hooks'
import { performance, setTimeout, threadMs } from '../base/timing/builtins.ts'
import type { ExplainError } from '../errors/error-handler.ts'
import type { ErrorChain, ErrorRedactor } from '../errors/flattened-error.ts'
import type { Exchange } from '../http/kernel/exchange.ts'
import type { HttpRequest } from '../base/http/request.ts'
import type { Suggestion } from '../routing/suggest-routes.ts'
import type { HintRule } from '../errors/hints/hint.ts'
import { builtInHints, findHints } from '../errors/hints/index.ts'
import { gatherWork, type Work } from '../errors/error-view.ts'
import type { SourceFiles } from '../errors/source-files.ts'
import { findOrigins, isOwn, maxFrames, type Origins } from './find-origins.ts'
import { framePlace } from '../errors/trace-lines.ts'
import { ProjectSources } from './project-sources.ts'

export interface ExplainerOptions {
  /** In the order in which they are asked. Default: those that are built in. */
  readonly hints?: readonly HintRule[]
  readonly redactor: ErrorRedactor
  /** The files of the project, as the frames show them. */
  readonly files: SourceFiles
  /** Routes that nearly matched a request. Default: none. */
  readonly nearRoutes?: (request: HttpRequest) => readonly Suggestion[]
  /** Default: `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Processor time for the origins of one error, in milliseconds; four times as much for each of the first three. Default 20. */
  readonly maxMs?: number
  /** Whether the files of the application are parsed soon, before there is an error. Default: no. */
  readonly readsAhead?: boolean
}

export function createExplainer(options: ExplainerOptions): ExplainError {
  const search = new OriginSearch(options)
  const { hints = builtInHints } = options
  return (chain, failed) => {
    const { origins, candidates, errors } = search.find(chain, failed)
    return { hints: findHints(chain, failed, hints), origins, candidates, ...(errors && { errors }) }
  }
}

const maxKnown = 50
/** What is parsed before there is an error: trees of so much text take 10 MB. */
const maxAhead = { files: 60, chars: 200_000 }
/** In milliseconds. The first file loads the parser; for others a process must have been there for a while. */
const [pauseMs, afterStartMs] = [20, 1000]

/** Searches for origins and keeps the newest results while the files that they come from stay the same. */
class OriginSearch {
  readonly #options: ExplainerOptions
  readonly #sources: ProjectSources
  readonly #known = new Map<string, Origins>()
  #coldLeft = coldSearches

  constructor(options: ExplainerOptions) {
    this.#options = options
    this.#sources = new ProjectSources(options.files)
    if (options.readsAhead === true) this.#readAhead()
  }

  /** Parses the files of the process, one at a time and while it has nothing else to do, so that no error waits for it. */
  #readAhead(): void {
    const { entry } = this.#sources
    const paths = new Set(entry === null ? [] : [entry])
    const left = paths.values()
    let charsLeft = maxAhead.chars
    let before = load.eventLoopUtilization()
    const readNext = (): void => {
      const isQuiet = load.eventLoopUtilization(before).utilization < 0.5
      const path = isQuiet ? left.next().value : ''
      if (path === undefined || charsLeft <= 0) return
      if (path !== '') {
        charsLeft -= this.#sources.tree(path)?.text.length ?? 0
        for (const imported of this.#sources.importsOf(path)) if (paths.size < maxAhead.files) paths.add(imported)
      }
      before = load.eventLoopUtilization()
      setTimeout(readNext, path === entry ? afterStartMs : pauseMs).unref()
    }
    setTimeout(readNext, pauseMs).unref()
  }

  /** Source may hold anything: a search that fails finds nothing. */
  find(chain: ErrorChain, { route, recording, request }: Partial<Exchange> = {}): Origins {
    const { redactor, env = process.env, maxMs = 20 } = this.#options
    try {
      const work = gatherWork(recording, redactor)?.work ?? []
      const near = this.#options.nearRoutes
      const nearRoutes = (): readonly Suggestion[] => (request === undefined ? [] : (near?.(request) ?? []))
      const key = keyOf(chain, route, work)
      const seen = recording?.seenCalls?.()
      const known = seen === undefined ? this.#known.get(key) : undefined
      if (known?.trees?.every((tree) => this.#sources.tree(tree.file.path) === tree) === true) return known
      const share = this.#coldLeft > 0 ? maxMs * 4 : maxMs
      this.#coldLeft -= 1
      const [startMs, startThreadMs] = [performance.now(), threadMs()]
      // Asking for the time of the processor takes longer than a step of the search.
      const hasTime = (part = 1): boolean =>
        performance.now() < startMs + share * part || threadMs() < startThreadMs + share * part
      // What is read beyond the trace must leave time to follow the value.
      const hasTimeToRead = (): boolean => hasTime(0.5)
      const given = { sources: this.#sources, redactor, env, route, work, seen, nearRoutes, request }
      const found = findOrigins(chain, { ...given, hasTime, hasTimeToRead })
      if (this.#known.size >= maxKnown) this.#known.clear()
      if (seen === undefined && hasTime()) this.#known.set(key, found)
      return found
    } catch {
      return nothing
    }
  }
}

/** Equal for errors that the same search explains. */
function keyOf({ errors }: ErrorChain, route: Exchange['route'], work: readonly Work[]): string {
  const parts = [route?.name ?? '']
  for (const { className, message, frames, members } of errors) {
    parts.push(className, message.slice(0, 2000), String(members.length))
    for (const frame of frames.filter(isOwn).slice(0, maxFrames)) parts.push(framePlace(frame))
    // Only the first member is searched.
    for (const member of members.slice(0, 1)) parts.push(keyOf(member, route, []))
  }
  for (const { callSite, result } of work) parts.push(callSite ?? '', result ?? '')
  return parts.join('\0')
}

/** Searches of a process before the engine has compiled their code. */
const coldSearches = 3

const nothing: Origins = { origins: [], candidates: [], trees: [] }
