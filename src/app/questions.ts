// The one list of questions, in the order of their links: pages, commands and what agents list are made from it.

import { runs } from '../analysis/runs-question.ts'
import { errors } from '../pages/questions/errors.ts'
import { help } from '../pages/questions/help.ts'
import { lock } from '../maintenance/lock-question.ts'
import { logs } from '../pages/questions/logs.ts'
import { openRequests } from '../pages/questions/open-requests.ts'
import { queries } from '../pages/questions/queries.ts'
import type { Question } from '../pages/questions/question.ts'
import { routes } from '../pages/questions/routes.ts'
import { status } from '../pages/questions/status.ts'
import { tasks } from '../pages/questions/tasks.ts'
import { traces } from '../otel/traces-question.ts'

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
