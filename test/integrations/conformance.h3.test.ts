// The conformance table for h3.

import { columnsOf, runColumn } from './support/conformance.ts'
import { casesOf } from './conformance/table.ts'

for (const column of columnsOf('h3')) runColumn(column, casesOf(column))
