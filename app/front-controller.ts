// The front controller of the shop: what it is made of. What the shop does is in routes.ts.

import { createApp, type App, type RuntimeContext } from '../src/index.ts'
import { rememberCurrency } from './listeners/remember-currency.ts'
import { createRoutes } from './routes.ts'

/** Makes the shop for a runtime context. */
export const frontController = (context: RuntimeContext): Promise<App> =>
  createApp({
    context,
    routes: createRoutes,
    listeners: [rememberCurrency],
    maintenancePage: 'app/public/maintenance.html',
  })
