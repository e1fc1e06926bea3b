// The public entry `fanlight/register`: `node --require fanlight/register app.js` observes an application in development without a line in it.

import { isOn, loadRegistration } from './integrations/switch.ts'

const { FANLIGHT: wish = '' } = process.env
if (isOn(process.env)) loadRegistration()?.register()
else if (!['', 'off'].includes(wish)) {
  process.stderr.write(
    `fanlight: off, FANLIGHT=${JSON.stringify(wish.slice(0, 200))} cannot be used: allowed are on, off\n`,
  )
} else if (isTerminal()) {
  const advice = 'set NODE_ENV=development or FANLIGHT=on, or start the program with "fanlight dev --"'
  process.stderr.write(`fanlight: off, this is not development; ${advice}\n`)
}

/**
 * Asks for the stream only where it may be a terminal: making it costs more than all the rest, and so does an import of `node:fs`.
 * With `bigint`, because Node 22 follows no link to the program where the last other stat was of a pipe.
 */
function isTerminal(): boolean {
  try {
    return (
      process.getBuiltinModule('node:fs').fstatSync(2, { bigint: true }).isCharacterDevice() && process.stderr.isTTY
    )
  } catch {
    return false
  }
}
