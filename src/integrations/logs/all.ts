// Loggers that publish nothing.

import type { LoadHook } from '../integration.ts'
import { nestLines } from './nest.ts'
import { winstonLines } from './winston.ts'

export const logHooks: readonly LoadHook[] = [winstonLines, nestLines]
