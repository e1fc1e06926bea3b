// The conformance table for Fastify.

import { columnsOf, runColumn } from './support/conformance.ts'
import { casesOf } from './conformance/table.ts'

for (const column of columnsOf('fastify')) runColumn(column, casesOf(column))
