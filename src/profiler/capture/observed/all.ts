// Everything that `observe` can be given. The first that fits is taken.

import { bullmqParts } from './bullmq.ts'
import { cacheMap } from './cache-map.ts'
import { mailTransporter } from './nodemailer.ts'
import { cronerJob } from './croner.ts'
import { nodeCronTask } from './node-cron.ts'
import type { Observable } from './observable.ts'
import { eta, ejs, handlebars, nunjucks } from './templates.ts'
import { ajv, standardSchema } from './validators.ts'
import { webSocketClient, webSocketServer } from '../sources/websockets.ts'

export const observables: readonly Observable[] = [
  cacheMap,
  eta,
  ejs,
  nunjucks,
  handlebars,
  mailTransporter,
  ajv,
  standardSchema,
  webSocketServer,
  webSocketClient,
  bullmqParts,
  nodeCronTask,
  cronerJob,
]
