// The conformance table for the server of Node without a framework.

import { columnsOf, runColumn } from './support/conformance.ts'
import { casesOf } from './conformance/table.ts'

for (const column of columnsOf('node')) runColumn(column, casesOf(column))
