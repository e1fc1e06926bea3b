// The conformance table for Koa.

import { columnsOf, runColumn } from './support/conformance.ts'
import { casesOf } from './conformance/table.ts'

for (const column of columnsOf('koa')) runColumn(column, casesOf(column))
