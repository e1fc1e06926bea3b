// Runs the shop: `npm start`.

import { run } from '../src/index.ts'
import { frontController } from './front-controller.ts'

export { frontController }

if (import.meta.main) await run(frontController)
