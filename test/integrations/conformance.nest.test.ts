// The conformance table for Nest on Express, and with `npm run test:frameworks` on Fastify.

import { columnsOf, runColumn } from './support/conformance.ts'
import { casesOf } from './conformance/table.ts'

const isWhole = process.env['CONFORMANCE'] === 'whole'
for (const column of columnsOf('nest', ...(isWhole ? (['nest-fastify'] as const) : []))) {
  runColumn(column, casesOf(column))
}
