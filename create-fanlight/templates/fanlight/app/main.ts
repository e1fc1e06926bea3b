// Starts the application: `npm run dev` while you work on it, `npm start` in production.

import { run } from 'fanlight'
import { frontController } from './front-controller.ts'

export { frontController }

if (import.meta.main) await run(frontController)
