// The conformance table for Nest, on Express and on Fastify.

import { columnsOf, runColumn } from './support/conformance.ts'
import { casesOf } from './conformance/table.ts'

for (const column of columnsOf('nest', 'nest-fastify')) runColumn(column, casesOf(column))
