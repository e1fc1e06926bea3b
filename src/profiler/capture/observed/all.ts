// Everything that `observe` can be given. The first that fits is taken.

import { cacheMap } from './cache-map.ts'
import { mailTransporter } from './nodemailer.ts'
import type { Observable } from './observable.ts'
import { eta, ejs, handlebars, nunjucks } from './templates.ts'
import { webSocketClient, webSocketServer } from './websockets.ts'

export const observables: readonly Observable[] = [
  cacheMap,
  eta,
  ejs,
  nunjucks,
  handlebars,
  mailTransporter,
  webSocketServer,
  webSocketClient,
]
