// The conformance table for Express.

import { columnsOf, runColumn } from './support/conformance.ts'
import { casesOf } from './conformance/table.ts'

for (const column of columnsOf('express', 'express4')) runColumn(column, casesOf(column))
