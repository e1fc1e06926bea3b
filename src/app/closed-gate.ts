// Serves the maintenance page in place of an application that is closed at boot, without any code, setting or store of it (SPEC 6.6).

import { tmpdir } from 'node:os'
import type { Variables } from '../http/config/folder-files.ts'
import { loadRuntimeContext, type RuntimeContext } from '../http/config/runtime-context.ts'
import { RouteCollection } from '../routing/route-collection.ts'
import type { ListenAddress } from '../http/node/server.ts'
import { maintenance, type MaintenanceOptions } from './plugins/maintenance.ts'
import type { App } from './app.ts'
import { createApp } from './create-app.ts'
import { readableSettings } from './process-context.ts'

/** The settings that count for the page; a key is of no use without its certificate. */
const used = [['HOST'], ['PORT'], ['APP_TLS_KEY', 'APP_TLS_CERT']] as const

/** Listens on `HOST` and `PORT`, as far as they can be used. Rejects with the error of the socket. */
export async function serveClosed(
  { cwd, env }: { readonly cwd: string; readonly env: Variables },
  options: Pick<MaintenanceOptions, 'page' | 'retryAfterSeconds'> = {},
): Promise<ListenAddress & { readonly app: App }> {
  const context = { ...usableContext(readableSettings(cwd, env)), projectRoot: cwd }
  const app = await createApp({ context, routes: new RouteCollection(), plugins: [maintenance(options)] })
  return { app, ...(await app.listen()) }
}

/** Each setting that cannot be used with those before it is left out. */
function usableContext(settings: Variables): RuntimeContext {
  // There are no .env files.
  const contextOf = (env: Variables): RuntimeContext => loadRuntimeContext({ cwd: tmpdir(), env }).context
  let kept: Variables = { APP_ENV: 'prod', APP_STORE: 'memory:', APP_LOCK: '1' }
  let context = contextOf(kept)
  for (const names of used) {
    const more = { ...kept, ...Object.fromEntries(names.map((name) => [name, settings[name]])) }
    try {
      context = contextOf(more)
      kept = more
    } catch {
      // The start of the application says what is wrong with it.
    }
  }
  return context
}
