// The conformance table for Hono.

import { columnsOf, runColumn } from './support/conformance.ts'
import { casesOf } from './conformance/table.ts'

for (const column of columnsOf('hono')) runColumn(column, casesOf(column))
