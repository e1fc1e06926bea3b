// A program with a bare server of node:http behind `fanlight/http`, started by tests. `OPTIONS` names a set of options, `LISTENS` an address, or several of as many servers, `ENDS=own` makes
// it close by itself at SIGTERM.

import { channel } from 'node:diagnostics_channel'
import { existsSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fanlight, type IntegrationOptions } from '../../src/http.ts'
import { html } from '../../src/index.ts'
import type { Observer } from '../../src/integrations/integration.ts'

const optionSets: Readonly<Record<string, IntegrationOptions>> = {
  none: {},
  browser: { errorPage: 'browser' },
  never: { errorPage: false },
  access: { access: (request) => request.header('x-who') === 'me' },
  path: { profilerPath: '/internal/profiles' },
  // None of these changes what the others do.
  many: {
    captureBodies: true,
    allowedPeers: ['203.0.113.0/24'],
    redact: { keys: ['colour'], patterns: [/swordfish/] },
    hints: [
      {
        name: 'sundays',
        matches: () => true,
        explain: () => ({ title: 'Closed on Sundays', text: 'The shop is closed on Sundays.' }),
      },
    ],
    recording: { paths: { '/health': 0 } },
    collectors: [{ name: 'tenant', collect: (exchange) => ({ tenant: exchange.request.header('x-tenant') ?? null }) }],
    panels: [{ name: 'tenant', title: 'Tenant', render: (data) => html`<p>Seen: ${JSON.stringify(data)}</p>` }],
  },
}

const options = optionSets[process.env['OPTIONS'] ?? 'none'] ?? {}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  return text
}

const server = createServer((request, response) => {
  const known = Reflect.get(globalThis, Symbol.for('fanlight.integrations')) as { observer: Observer } | undefined
  const observed = known?.observer.requestOf(request)
  const { pathname } = new URL(request.url ?? '/', 'http://localhost')
  switch (pathname) {
    case '/page':
      return void response.writeHead(200, { 'Content-Type': 'text/html' }).end('<html><body>page</body></html>')
    case '/echo':
      return void textOf(request).then((text) => response.end(`${text.length}`))
    case '/mirror':
      return void textOf(request).then((text) => response.setHeader('Content-Type', 'application/json').end(text))
    case '/fails':
      observed?.failed(new Error('no colour=blue, swordfish'))
      observed?.respondsByDefault('error')
      return void response.writeHead(500, { 'content-type': 'text/plain' }).end('framework')
    case '/own':
      observed?.failed(new Error('own'))
      observed?.respondsItself()
      return void response.writeHead(503, { 'content-type': 'text/plain' }).end('own words')
    case '/throws':
      throw new Error('thrown at once')
    case '/timer':
      return void setTimeout(() => {
        throw new Error('thrown in a timer')
      }, 1)
    case '/rejects':
      void Promise.reject(new Error('rejected'))
      return void setTimeout(() => response.end('still here'), 20)
    case '/exit':
      process.exit(3)
      break
    case '/close':
      response.writeHead(200, { connection: 'close' }).end('bye')
      return void server.close()
    case '/traces':
      return void response.end(JSON.stringify(tracesOf()))
    case '/environment':
      return void response.end(
        JSON.stringify(Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith('APP_')))),
      )
    default:
      return void response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":7}')
  }
})

/** What would tell that something of ours is there. */
function tracesOf(): unknown {
  return {
    ownMembers: Reflect.ownKeys(server).includes('emit'),
    isHeard: channel('http.server.request.start').hasSubscribers,
    isKnown: Reflect.has(globalThis, Symbol.for('fanlight.integrations')),
    files: existsSync('var'),
  }
}

fanlight(server, options)
if (process.env['ENDS'] === 'own') {
  process.on('SIGTERM', () => server.close(() => process.exit(0)))
}
const [address, ...others] = (process.env['LISTENS'] ?? '127.0.0.1').split(',')
server.listen(0, address, () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port} `))
for (const other of others) createServer().listen(0, other)
