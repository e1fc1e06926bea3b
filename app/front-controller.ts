// The front controller of the shop: the parts that it is made of. What it does is in routes.ts.

import { createApp, maintenance, type App, type AppOptions, type RuntimeContext } from '../src/index.ts'
import { currency, type CurrencyPlugin } from './currencies/plugin.ts'
import { rememberCurrency } from './listeners/remember-currency.ts'
import { createRoutes } from './routes.ts'

/** Makes the shop for a runtime context. */
export const frontController = (context: RuntimeContext): Promise<App> => createApp(shopOptions(context))

/** What the shop is made of. */
export function shopOptions(context: RuntimeContext, currencies: CurrencyPlugin = currency()): AppOptions {
  const closing = maintenance({ page: 'app/public/maintenance.html', except: ['/health/*', 'links'] })
  return {
    context,
    plugins: [closing, currencies],
    routes: createRoutes({ settings: context, currencies, maintenance: closing }),
    listeners: [rememberCurrency],
  }
}
