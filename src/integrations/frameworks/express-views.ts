// Templates that Express renders, whatever their engine: `res.render()` leads to `app.render()`.

import { extname } from 'node:path'
import { observers } from '../captures/observers.ts'
import type { Observer } from '../integration.ts'
import { replaceOnce } from '../replace-method.ts'

interface Application {
  /** Reads a setting. */
  get?(name: string): unknown
}

/** Observes an application, or all that will be made with this prototype. */
export function observeViews(target: object, observer: Observer): void {
  replaceOnce(
    target,
    'render',
    (own, args, run) => {
      const name = String(args[0])
      return observers().renderObserved(() => ({ engine: engineOf(own, name), name }), args, run)
    },
    observer,
  )
}

/** By the extension: `ejs`. */
function engineOf(application: Application, name: string): string {
  const extension = extname(name) || application.get?.('view engine')
  return typeof extension === 'string' ? extension.replace(/^\./, '') : 'unknown'
}
