// A collector gathers facts of a request, a panel of the same name draws them: here, which feature flags were asked for. Start it with
// APP_ENV=dev, open / and its profile. The collector fails for /broken: the response is the same, and the profile says what happened.

import { createApp, html, type Exchange, exchangeKey, type Plugin, RouteCollection, run, text } from '../src/index.ts'
import { emptyState, keyValueTable, type Collector, type Panel } from '../src/profiler.ts'

type Flags = Record<string, boolean>
const asked = exchangeKey<Flags>('flags')

function isOn(exchange: Exchange, flag: string): boolean {
  const answer = flag.startsWith('new-')
  exchange.set(asked, { ...exchange.get(asked), [flag]: answer })
  return answer
}

const collector: Collector<Flags> = {
  name: 'flags',
  collect: (exchange) => {
    if (exchange.request.path === '/broken') throw new Error('the flags cannot be read')
    return exchange.get(asked)
  },
}

const panel: Panel<Flags> = {
  name: 'flags',
  title: 'Flags',
  badge: (flags) => ({ count: Object.keys(flags).length, tone: 'neutral' }),
  render: (flags) =>
    flags === undefined
      ? emptyState('No flag was asked for.')
      : keyValueTable(Object.entries(flags).map(([name, answer]) => [name, html`<b>${answer ? 'on' : 'off'}</b>`])),
}

const flags: Plugin = { name: 'flags', collectors: [collector], panels: [panel] }

const answer = (exchange: Exchange) => text(isOn(exchange, 'new-basket') ? 'The new basket.\n' : 'The basket.\n')
const routes = new RouteCollection().get('home', '/', answer).get('broken', '/broken', answer)
await run((context) => createApp({ context, routes, plugins: [flags] }))
