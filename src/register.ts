// The public entry `fanlight/register`: `node --import fanlight/register app.js` observes an application in development without a line in it.

import { isatty } from 'node:tty'
import { isMainThread } from 'node:worker_threads'
import { isOn, load } from './integrations/switch.ts'

if (isOn(process.env)) load()?.register()
else if (isMainThread && isatty(2)) {
  const advice = 'set APP_ENV=dev, or NODE_ENV=development, or start the program with "fanlight dev --"'
  process.stderr.write(`fanlight: off, this is not development; ${advice}\n`)
}
