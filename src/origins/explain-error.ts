// Explains an error of a request: hints, where the values of its lines come from, and which lines to change.

import { relative } from 'node:path'
import { setTimeout } from '../base/timing/builtins.ts'
import type { ExplainError } from '../errors/error-handler.ts'
import type { ErrorChain, ErrorRedactor } from '../errors/flattened-error.ts'
import type { Exchange } from '../http/kernel/exchange.ts'
import type { HttpRequest } from '../base/http/request.ts'
import type { Suggestion } from '../routing/suggest-routes.ts'
import type { HintRule } from '../errors/hints/hint.ts'
import { builtInHints, findHints, type LeftRules } from '../errors/hints/index.ts'
import { gatherWork, type Work } from '../errors/request-work.ts'
import type { SourceFiles } from '../errors/source-files.ts'
import { findOrigins, isOwn, maxFrames, type Origins } from './find-origins.ts'
import { readTree } from '../errors/source/parse-source.ts'
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
}

export function createExplainer(options: ExplainerOptions): ExplainError {
  const search = new OriginSearch(options)
  const { hints = builtInHints } = options
  const left: LeftRules<Exchange> = new Map()
  return (chain, failed) => {
    const { origins, candidates, errors } = search.find(chain, failed)
    return { hints: findHints(chain, failed, hints, left), origins, candidates, ...(errors && { errors }) }
  }
}

const maxKnown = 50

/** Searches for origins and keeps the newest results while the files that they come from stay the same. */
class OriginSearch {
  readonly #options: ExplainerOptions
  readonly #sources: ProjectSources
  readonly #known = new Map<string, Origins>()
  #coldLeft = coldSearches

  constructor(options: ExplainerOptions) {
    this.#options = options
    this.#sources = new ProjectSources(options.files)
    setTimeout(warmUp, warmUpAfterMs).unref()
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
      const startMs = processorMs()
      const hasTime = (): boolean => processorMs() < startMs + share
      // What is read beyond the trace must leave time to follow the value.
      const hasTimeToRead = (): boolean => processorMs() < startMs + share / 2
      const entry = relative(this.#sources.files.root, process.argv[1] ?? '')
      const given = { sources: this.#sources, redactor, env, route, work, seen, nearRoutes, request, entry }
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

/** In milliseconds: what waits for an explainer does not wait for this. */
const warmUpAfterMs = 50

/** The parser is slow until it has run: it runs once while no error waits. */
function warmUp(): void {
  readTree({ path: 'warm.ts', lines: warmLines, excerpts: new Map(), changedSince: null })
}

const warmLines: readonly string[] = [
  "import { a } from './a.ts'",
  'export const x: { y?: number } = { ...a, y: 1 }',
  'export class C<T> { #p = new Map<string, T>(); constructor(readonly q: T) { this.#p.set(`k${x.y}`, q) } }',
  'export async function f({ y = 2 }: { y?: number }, ...rest: string[]): Promise<void> {',
  '  try { for (const r of rest) if (await a(r)) return; else y = rest.map((s) => s?.length ?? 0).at(-1)! } catch (e) { throw e as Error }',
  '  switch (y) { case 1: break; default: while (y < 3) y += 1 }',
  '}',
]

const nothing: Origins = { origins: [], candidates: [], trees: [] }

function processorMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
