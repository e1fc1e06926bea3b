// Rows of the application's databases, as the tool says them.

import { counted } from '../../base/html/components.ts'
import type { ReadDatabase, ReadOrder } from '../../observe/outgoing/open-databases.ts'
import { AgentError, quote, type ToolResponse } from './tool.ts'

export async function rowsResponse(read: ReadDatabase | undefined, order: ReadOrder): Promise<ToolResponse> {
  if (read === undefined) throw new AgentError('not_available', 'SQL=read is not among the settings.')
  const answer = await read(order)
  if ('problem' in answer) throw new AgentError('failed', quote(answer.problem, 600))
  const { database, columns, rows, isMore } = answer
  const cell = (value: string | null, at: number): string =>
    `${quote(columns[at] ?? '')} ${value === null ? 'NULL' : quote(value, 1200)}`
  const text = `${counted(rows.length, 'row')} of ${quote(database)}.${isMore ? ' There are more.' : ''}`
  return { title: 'Rows', parts: [{ text, items: rows.map((row) => `- ${row.map(cell).join(' · ')}`) }] }
}
