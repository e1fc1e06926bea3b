// An application that does with its visitors' secrets what careless code does: throws them, logs them, hands them on. Run
// directly, it is a separate process.

import {
  createApp,
  HttpError,
  json,
  Reply,
  run,
  RouteCollection,
  type App,
  type Exchange,
  type RuntimeContext,
} from '../../src/index.ts'

/** What a request asks the application to do with the secret in its body. */
export interface CarelessOrder {
  /** Where the secret is put. */
  readonly place: 'message' | 'property' | 'cause' | 'log' | 'log-message' | 'span' | 'span-name' | 'answer' | 'thrown'
  /** Name of the property, key or header, where there is one. */
  readonly name: string
  /** The secret as it is there. */
  readonly text: string
}

/** Its routes; every one answers `POST /<anything>` with a `CarelessOrder` as JSON, and forms and queries as they come. */
export function carelessRoutes(): RouteCollection {
  const routes = new RouteCollection()
  routes.post(
    'order',
    '/order',
    async (exchange) => follow(exchange as Exchange, (await exchange.request.body.json()) as CarelessOrder),
    // The body says where the secret is put, and has it under another name.
    { captureBody: false },
  )
  routes.post('form', '/form', async ({ request: { body } }) => {
    const form = await body.form()
    throw Object.assign(new HttpError(422, 'the form cannot be used'), { form: Object.fromEntries(form) })
  })
  routes.post('json', '/json', async ({ request: { body } }) => {
    throw Object.assign(new HttpError(422, 'the body cannot be used'), { body: await body.json() })
  })
  routes.any('page', '/page', () => json({ done: true }))
  return routes
}

function follow(exchange: Exchange, { place, name, text }: CarelessOrder): Reply {
  if (place === 'message') throw new Error(text)
  if (place === 'property')
    throw Object.assign(new Error('with a property'), { [name]: text, deep: { list: [{ [name]: text }] } })
  if (place === 'cause') throw new Error('outer', { cause: Object.assign(new Error(text), { [name]: { any: text } }) })
  if (place === 'thrown') throw { [name]: text, message: text }
  if (place === 'log') exchange.log.error('A line with {' + name + '}.', { [name]: text, nested: { [name]: [text] } })
  if (place === 'log-message') exchange.log.warn(text)
  if (place === 'span') exchange.recording?.startSpan({ name: 'call', attributes: { [name]: text } }).end()
  if (place === 'span-name') exchange.recording?.startSpan({ name: 'call', attributes: { [text]: true } }).end()
  if (place === 'answer')
    return new Reply(200, ['set-cookie', `${name}=${text}; Path=/`, 'location', `/?${name}=${text}`], null)
  return json({ done: true })
}

/** The application. */
export const careless = (context: RuntimeContext): Promise<App> => createApp({ context, routes: carelessRoutes() })

if (import.meta.main) await run(careless)
