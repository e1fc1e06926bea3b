// Every kind of activity, in the order of the menu.

import { access } from './access.ts'
import type { ActivityKind } from './activity-kind.ts'
import { ai } from './ai.ts'
import { cache } from './cache.ts'
import { connections } from './connections.ts'
import { jobs } from './jobs.ts'
import { mail } from './mail.ts'
import { templates } from './templates.ts'
import { validation } from './validation.ts'

/** Each gets only what belongs to it. */
export const activityKinds = [
  access,
  cache,
  connections,
  templates,
  mail,
  jobs,
  validation,
  ai,
] as unknown as readonly ActivityKind<object>[]
