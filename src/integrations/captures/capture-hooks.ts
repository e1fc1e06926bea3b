// What is observed without a line in the application, because it publishes nothing. What the application hands over itself is observed already,
// and stays so.

import type { LoadHook } from '../integration.ts'
import { databaseHooks } from './database-hooks.ts'
import { graphqlHooks } from './graphql-hooks.ts'
import { mailHooks } from './mail-hooks.ts'
import { runHooks } from './run-hooks.ts'
import { templateHooks } from './template-hooks.ts'
import { validatorHooks } from './validator-hooks.ts'
import { webSocketHooks } from './websocket-hooks.ts'

export const captureHooks: readonly LoadHook[] = [
  ...databaseHooks,
  ...templateHooks,
  ...webSocketHooks,
  ...mailHooks,
  ...graphqlHooks,
  ...validatorHooks,
  ...runHooks,
]
