// Runs the shop: `npm start`. Nothing of it is loaded before Node knows where to keep compiled code, which makes every start
// but the first quicker, and how sources are found quickly.

import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import type { App, RuntimeContext } from '../src/index.ts'

/** Makes the shop for a runtime context. */
export const frontController = async (context: RuntimeContext): Promise<App> => {
  const shop = await import('./front-controller.ts')
  return shop.frontController(context)
}

if (import.meta.main) {
  // A folder that cannot be written is passed over without a word.
  enableCompileCache(join(import.meta.dirname, '../var/compile-cache'))
  if (import.meta.filename.endsWith('.ts')) await import('../scripts/find-sources.ts')
  const { run } = await import('../src/index.ts')
  await run(frontController)
}
