// What is loaded where integrations are on: one front, one profiler and one set of options for the process.

import { dirname } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { integrations } from './frameworks/all.ts'
import { Front } from './front.ts'
import type { Integration, Observer } from './integration.ts'
import { Notes } from './notes.ts'
import { RouteLists } from './route-lists.ts'
import { checkOptions, type IntegrationOptions } from './options.ts'

/** What a process has once, whichever copy of the package is asked. */
interface ProcessWide {
  /** Folder of the copy that came first. */
  readonly folder: string
  readonly observer: Observer
  start(options: IntegrationOptions | undefined): void
  subscribe(integration: Integration): void
}

const processWide = Symbol.for('fanlight.integrations')

/** Observes an application; see `attachWhenOn`. */
export function attach(packageName: string, application: unknown, options: unknown): void {
  checkOptions(options)
  const integration = integrations.find((known) => known.package === packageName)
  if (integration === undefined) throw new TypeError(`There is no integration for the package "${packageName}"`)
  const shared = sharedParts()
  integration.attach(application, shared.observer)
  shared.start(options)
  shared.subscribe(integration)
}

/** Observes every server and every framework that this process loads; for `fanlight/register`. */
export function observeAll(): Observer {
  const shared = sharedParts()
  shared.start(undefined)
  for (const integration of integrations) shared.subscribe(integration)
  return shared.observer
}

/** The first copy of the package makes them; another one uses them, and that is noted. */
function sharedParts(): ProcessWide {
  const holder = globalThis as { [processWide]?: ProcessWide }
  const folder = dirname(import.meta.filename)
  const known = holder[processWide]
  if (known === undefined) {
    const made = makeShared(folder)
    Object.defineProperty(globalThis, processWide, { value: made, configurable: true })
    return made
  }
  if (known.folder !== folder) {
    known.observer.note(`Fanlight is installed twice: ${known.folder} is used, ${folder} is not.`)
  }
  return known
}

function makeShared(folder: string): ProcessWide {
  const notes = new Notes()
  const lists = new RouteLists()
  const subscribed = new Set<string>()
  let hasStarted = false
  let given: IntegrationOptions | undefined
  const front = new Front({
    start: async () => {
      const { startFrontProfiler } = await import('./serve-requests.ts')
      return startFrontProfiler(given ?? {}, lists, notes)
    },
    countUnreadable: () => notes.countUnreadable(),
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
  const subscribe = (integration: Integration): void => {
    if (subscribed.has(integration.package)) return
    subscribed.add(integration.package)
    for (const below of integration.builtOn ?? []) subscribe(below)
    notes.guard(`${integration.framework}: subscribe`, () => integration.subscribe?.(observer))
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
      if (!hasStarted) front.start()
      hasStarted = true
    },
    subscribe,
  }
}
