// The one list of questions, in the order of their links: pages, commands and what agents list are made from it.

import { runs } from './runs.ts'
import { errors } from './errors.ts'
import { help } from './help.ts'
import { lock } from '../../maintenance/lock-question.ts'
import { logs } from './logs.ts'
import { openRequests } from './open-requests.ts'
import { queries } from './queries.ts'
import type { Question } from '../../pages/question.ts'
import { routes } from './routes.ts'
import { status } from './status.ts'
import { tasks } from './tasks.ts'
import { traces } from '../../otel/traces-question.ts'

export const questions: readonly Question[] = [
  routes,
  runs,
  errors,
  queries,
  logs,
  traces,
  openRequests,
  tasks,
  lock,
  status,
  help,
]
