// Leads the outgoing requests of an offline replay to the recorded services: those of `fetch`, `node:http` and `node:https`. Others of
// the process go where they always go. In place only while an offline replay runs.

import { syncBuiltinESMExports } from 'node:module'
import { currentExchange } from '../../../framework/kernel/current-exchange.ts'
import { replayName, type ReplayMark } from '../replays.ts'
import type { RecordedServices } from './recorded-services.ts'

/** Of undici, the client behind `fetch`; the second one is of its version 8. Its documentation names the first. */
const dispatcherKeys = [Symbol.for('undici.globalDispatcher.1'), Symbol.for('undici.globalDispatcher.2')] as const

/** Whether `fetch` can be diverted: it goes through undici's own agent. */
export function canDivert(): boolean {
  // The first look at it loads undici.
  void globalThis.Headers
  return dispatcherKeys.some((key) => isAgent(dispatchers()[key]))
}

function dispatchers(): { [key: symbol]: unknown } {
  return globalThis
}

/** Begins to divert; ends when what this gives is called. */
export function divertClients(services: RecordedServices): () => void {
  const undo = [...divertFetch(services), ...divertNode(services)]
  return () => {
    for (const restore of undo.toReversed()) restore()
    syncBuiltinESMExports()
  }
}

function isOffline(services: RecordedServices): boolean {
  const recording = currentExchange()?.recording
  // Only replays keep something under the name.
  const mark = (recording?.parent ?? recording)?.kept(replayName) as ReplayMark | undefined
  return mark?.services === services
}

interface Dispatcher {
  dispatch(this: Dispatcher, ...given: unknown[]): unknown
}
type Connector = (options: { readonly protocol: string }, whenOpen: (...outcome: unknown[]) => void) => void

function divertFetch(services: RecordedServices): (() => void)[] {
  const global = dispatchers()
  const connect: Connector = ({ protocol }, whenOpen) =>
    void services.connect(protocol === 'https:' ? 'https' : 'http', whenOpen)
  return dispatcherKeys.flatMap((key) => {
    const real = global[key]
    if (!isAgent(real)) return []
    const offline = new real.constructor({ connect })
    const dispatch = (...given: unknown[]): unknown =>
      isOffline(services) ? offline.dispatch(...given) : real.dispatch(...given)
    global[key] = Object.create(real, { dispatch: { value: dispatch } })
    return [() => void (global[key] = real)]
  })
}

interface AgentLike extends Dispatcher {
  readonly constructor: new (options: { readonly connect: Connector }) => Dispatcher
}

function isAgent(value: unknown): value is AgentLike {
  return typeof value === 'object' && value !== null && value.constructor.name === 'Agent' && 'dispatch' in value
}

function divertNode(services: RecordedServices): (() => void)[] {
  const undo: (() => void)[] = []
  for (const scheme of ['http', 'https'] as const) {
    const client = process.getBuiltinModule(`node:${scheme}`)
    const createConnection = (): ReturnType<RecordedServices['connect']> => services.connect(scheme, () => undefined)
    const agent = Object.assign(new client.Agent(), { createConnection })
    for (const name of ['request', 'get'] as const) {
      const real = client[name]
      const diverted = (...given: unknown[]): unknown =>
        Reflect.apply(real, client, isOffline(services) ? withAgent(given, agent) : given)
      Object.assign(client, { [name]: diverted })
      undo.push(() => void Object.assign(client, { [name]: real }))
    }
  }
  syncBuiltinESMExports()
  return undo
}

/** `request(url, options, callback)` and `request(options, callback)`, with the agent in the options. */
function withAgent(given: readonly unknown[], agent: object): readonly unknown[] {
  const [first, ...rest] = given
  const isAddress = typeof first === 'string' || first instanceof URL
  const others = isAddress ? rest : given
  const [options, ...more] = others
  const hasOptions = typeof options === 'object' && options !== null
  const changed = { ...(hasOptions ? options : {}), agent, createConnection: undefined }
  return [...(isAddress ? [first] : []), changed, ...(hasOptions ? more : others)]
}
