// The one list of questions, in the order of their links: pages, commands and what agents list are made from it.

import { groups } from './groups.ts'
import { errors } from './errors.ts'
import { lock } from './lock.ts'
import { logs } from './logs.ts'
import { openRequests } from './open-requests.ts'
import { queries } from './queries.ts'
import type { Question } from './question.ts'
import { status } from './status.ts'
import { tasks } from './tasks.ts'
import { traces } from './traces.ts'

export const questions: readonly Question[] = [groups, errors, queries, logs, traces, openRequests, tasks, lock, status]
