// Explains an error of a request: hints, where the values of its lines come from, and which lines to change.

import type { ExplainError } from '../error-handler.ts'
import type { ErrorChain, ErrorRedactor } from '../flattened-error.ts'
import type { Exchange } from '../../framework/kernel/exchange.ts'
import type { HintRule } from '../hints/hint.ts'
import { findHints } from '../hints/index.ts'
import { gatherWork } from '../request-work.ts'
import type { SourceFiles } from '../source-files.ts'
import { findOrigins, type Origins } from './find-origins.ts'
import { readTree } from './parse-source.ts'
import { ProjectSources } from './project-sources.ts'

export interface ExplainerOptions {
  /** In the order in which they are asked. */
  readonly hints: readonly HintRule[]
  readonly redactor: ErrorRedactor
  /** The files of the project, as the frames show them. */
  readonly files: SourceFiles
  /** Default: `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Processor time for the origins of one error, in milliseconds; four times as much for each of the first three. Default 20. */
  readonly maxMs?: number
}

/** Explains the errors of one application. */
export function createExplainer(options: ExplainerOptions): ExplainError {
  const sources = new ProjectSources(options.files)
  warmUp()
  let coldLeft = coldSearches
  return (chain, failed) => {
    const maxMs = (options.maxMs ?? 20) * (coldLeft > 0 ? 4 : 1)
    coldLeft -= 1
    return { hints: findHints(chain, failed, options.hints), ...originsOf(chain, failed, sources, options, maxMs) }
  }
}

/** Searches of a process before the engine has compiled their code. */
const coldSearches = 3

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

const nothing: Origins = { origins: [], candidates: [] }

/** Source may hold anything: a search that fails finds nothing. */
function originsOf(
  chain: ErrorChain,
  failed: Exchange,
  sources: ProjectSources,
  { redactor, env = process.env }: ExplainerOptions,
  maxMs: number,
): Origins {
  const startedMs = processorMs()
  try {
    const hasTime = (): boolean => processorMs() - startedMs < maxMs
    const { route, recording } = failed
    const work = gatherWork(recording, redactor)?.work ?? []
    return findOrigins(chain, { sources, redactor, env, hasTime, route, work })
  } catch {
    return nothing
  }
}

/** Processor time of this thread. */
function processorMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
