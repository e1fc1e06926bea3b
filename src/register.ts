// The public entry `fanlight/register`: `node --require fanlight/register app.js` observes an application in development without a line in it.

import { isOn, loadRegistration, sayWhyOff } from './integrations/switch.ts'

if (isOn(process.env)) loadRegistration()?.register()
else sayWhyOff(process.env)
