// What a process has once, whichever entry or copy of the package is asked: one front, one profiler and one set of options.

import { dirname } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Server } from 'node:http'
import { keepStacksPlain } from '../http/kernel/plain-stacks.ts'
import { nodeProblem } from '../base/node-version.ts'
import type { RuntimeContext } from '../http/config/runtime-context.ts'
import { describeFailure } from '../http/kernel/describe-failure.ts'
import { Front } from './front.ts'
import type { Integration, Observer } from './integration.ts'
import { Notes } from './notes.ts'
import type { IntegrationOptions } from './options.ts'
import { RouteLists } from './route-lists.ts'

/** What a process has once, whichever copy of the package is asked. */
interface ProcessWide {
  /** Folder of the copy that came first. */
  readonly folder: string
  readonly observer: Observer
  start(options: IntegrationOptions | undefined): void
  subscribe(integration: Integration): void
  /** Does something once in a process, for all callers. If it throws, that becomes a note. */
  once(name: string, work: () => void): void
  /** Does something with the first request of a server, when the profiler has started. */
  beforeFirstRequest(work: () => void): void
}

const processWide = Symbol.for('fanlight.integrations')

/** Why nothing can be observed in this process; `null` if it can. */
function runtimeProblem({ node, bun }: NodeJS.ProcessVersions): string | null {
  return bun === undefined ? nodeProblem(node) : `Bun ${bun} cannot be used: its servers publish nothing`
}

/**
 * The first copy of the package makes them; another one uses them, and that is noted. `null`, with one line on standard error, if nothing
 * can be observed.
 */
export function sharedParts(): ProcessWide | null {
  const holder = globalThis as { [processWide]?: ProcessWide | null }
  const folder = dirname(import.meta.filename)
  const known = holder[processWide]
  if (known === undefined) {
    const problem = runtimeProblem(process.versions)
    const made = problem === null ? makeShared(folder) : null
    if (problem !== null) process.stderr.write(`fanlight: off, ${problem}\n`)
    Object.defineProperty(globalThis, processWide, { value: made, configurable: true })
    return made
  }
  if (known !== null && known.folder !== folder) {
    known.observer.note(`Fanlight is installed twice: ${known.folder} is used, ${folder} is not.`)
  }
  return known
}

/** Servers whose addresses are printed. */
const maxAnnounced = 5

function makeShared(folder: string): ProcessWide {
  const notes = new Notes()
  const lists = new RouteLists()
  const done = new Set<string>()
  const atFirstRequest: (() => void)[] = []
  const servers = new Set<Server>()
  let hasStarted = false
  let announced = 0
  let given: IntegrationOptions | undefined
  let settings: Promise<RuntimeContext> | undefined
  const readSettings = (server?: Server): Promise<RuntimeContext> =>
    (settings ??= import('./settings.ts').then(({ loadSettings }) => loadSettings(server, notes)))
  const load = () => import('./serve-requests.ts')
  const front = new Front({
    start: async () => {
      // The application may have asked for longer stacks by now.
      keepStacksPlain(dirname(folder))
      const { startFrontProfiler } = await load()
      const profiler = await startFrontProfiler(given ?? {}, await readSettings(), lists, notes, servers)
      for (const work of atFirstRequest) notes.guard('first request', work)
      return profiler
    },
    onListening: (server, readEntry) => {
      servers.add(server)
      server.once('close', () => servers.delete(server))
      if ((announced += 1) > maxAnnounced) return
      Promise.all([readSettings(server), import('./settings.ts')])
        .then(async ([read, { announce }]) => announce(server, read, given?.profilerPath ?? '/_profiler', readEntry))
        .catch((reason: unknown) => notes.add(`The first line: ${describeFailure(reason).message}`))
        // So that the first request waits less; what fails here is told then.
        .then(load)
        .catch(() => undefined)
    },
    countUnreadable: () => notes.countUnreadable(),
    guard: (place, work) => notes.guard(place, work),
  })
  const observer: Observer = {
    requestOf: (raw, application) => {
      const observed = front.requestOf(raw)
      if (observed !== undefined && application !== undefined) lists.serve(observed.exchange.request, application)
      return observed
    },
    addRoutes: (application, read) => lists.add(application, read),
    guard: (place, work) => notes.guard(place, work),
    note: (text) => notes.add(text),
  }
  const once = (name: string, work: () => void): void => {
    if (done.has(name)) return
    done.add(name)
    notes.guard(name, work)
  }
  const subscribe = (integration: Integration): void => {
    for (const below of integration.builtOn ?? []) subscribe(below)
    once(`${integration.framework}: subscribe`, () => integration.subscribe?.(observer))
  }
  return {
    folder,
    observer,
    start: (options) => {
      const isGiven = options !== undefined && Object.keys(options).length > 0
      if (isGiven && given === undefined) given = options
      else if (isGiven && !isDeepStrictEqual(options, given)) {
        notes.add('fanlight() got two sets of options: the first one counts for the whole process.')
      }
      if (!hasStarted) {
        keepStacksPlain(dirname(folder))
        front.start()
      }
      hasStarted = true
    },
    subscribe,
    once,
    beforeFirstRequest: (work) => void atFirstRequest.push(work),
  }
}
