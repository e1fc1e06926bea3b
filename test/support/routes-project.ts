// Writes an application with a route table to look at: sound routes, a duplicate, one that is never reached, one partly hidden.

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { CliFolder } from './cli-run.ts'

const library = pathToFileURL(join(import.meta.dirname, '../../src/index.ts')).href

/** Writes a module whose front controller has these routes; `routes` is code that follows `new RouteCollection()`. */
export async function writeRoutes(folder: CliFolder, module: string, routes: string): Promise<void> {
  await writeFile(join(folder.path, 'package.json'), '{ "type": "module" }')
  await writeFile(
    join(folder.path, module),
    `import { createApp, RouteCollection, text } from '${library}'
console.log('noise of the application')
setInterval(() => undefined, 1000)
const show = () => text('shown')
const routes = new RouteCollection()
${routes}
export const frontController = (context) => createApp({ context, routes })
`,
  )
}

/** Writes `sound.ts`: nothing is wrong with its table. The first route is defined in line 6. */
export async function writeSoundRoutes(folder: CliFolder): Promise<void> {
  await writeRoutes(
    folder,
    'sound.ts',
    `routes.get('home', '/', function showHome() { return text('home') })
routes.get('product', '/products/{slug}', show)
routes.get('order', '/orders/{id<\\\\d+>}', show, { host: '{shop}.example.org', schemes: ['https'] })
routes.post('basket', '/basket', show)
routes.any('page', '/page/{page<\\\\d+>?1}', show)`,
  )
}

/** Writes `faulty.ts`: a duplicate, a route that is never reached, one partly hidden, a name used twice. */
export async function writeFaultyRoutes(folder: CliFolder): Promise<void> {
  await writeRoutes(
    folder,
    'faulty.ts',
    `routes.get('product', '/products/{slug}', show)
routes.get('new_product', '/products/new', show)
routes.get('product_again', '/products/{slug}', show)
routes.any('anything', '/products/{slug}', show)
routes.add({ name: 'both', path: '/products/{slug}', methods: ['GET', 'POST'], handler: show, priority: 0 })
routes.get('gone', '/old', show)
routes.get('gone', '/fresh', show)`,
  )
}
