// The templates that were rendered, those inside of others below them.

import { isAbsolute } from 'node:path'
import { frameFile } from '../../errors/frame-file.ts'
import { formatDuration } from '../../base/html/components.ts'
import { place, text, type Table } from '../../observe/blocks/blocks.ts'
import type { ActivityKind, Happening } from '../../observe/activities/activity.ts'

export interface TemplateFacts {
  /** `eta`, `ejs`. */
  readonly engine: string
  /** As the application names it, or its file; `null` if it has no name. */
  readonly name: string | null
  /** The beginning of a template without a name. */
  readonly text: string | null
}

type Template = TemplateFacts & Happening

export const templates: ActivityKind<TemplateFacts> = {
  name: 'templates',
  title: 'Templates',
  noun: ['rendered template', 'rendered templates'],
  most: 200,
  empty:
    'No template was rendered. What res.render() of Express renders is captured as it is; hand eta, ejs, nunjucks or handlebars over with observe().',
  mask: ({ name }, { projectRoot }) => ({
    name: name !== null && isAbsolute(name) ? frameFile(name, projectRoot).file : name,
  }),
  draw: ({ entries }) => {
    const placed = placeTemplates(entries)
    const isFlat = placed.every(({ depth }) => depth === 0)
    return [
      {
        kind: 'table',
        name: 'Templates in the order they began',
        noun: 'row',
        heads: ['Template', { number: 'Start' }, { number: 'Time' }, ...(isFlat ? [] : [{ number: 'Own' }])],
        rows: placed.map((one) => rowOf(one, isFlat)),
      },
      text(!isFlat && 'Indented templates were rendered by the template above. “Own” is the time without them.'),
    ]
  },
}

interface Placed {
  readonly template: Template
  readonly depth: number
  /** Renderings of the same template in a row share a line. */
  count: number
  totalMs: number
  ownMs: number
}

/** A template is inside of another if it began and ended while that was being rendered. */
function placeTemplates(entries: readonly Template[]): readonly Placed[] {
  const placed: Placed[] = []
  const around: { readonly endMs: number; readonly row: Placed }[] = []
  for (const template of entries) {
    const { startMs } = template
    const totalMs = template.durationMs ?? 0
    while ((around.at(-1)?.endMs ?? Number.POSITIVE_INFINITY) <= startMs) around.pop()
    const parent = around.at(-1)?.row
    if (parent !== undefined) parent.ownMs -= totalMs
    const last = placed.at(-1)
    const isRepeated =
      last?.depth === around.length && nameOf(last.template) === nameOf(template) && template.error === null
    const row = isRepeated ? last : { template, depth: around.length, count: 0, totalMs: 0, ownMs: 0 }
    if (!isRepeated) placed.push(row)
    row.count += 1
    row.totalMs += totalMs
    row.ownMs += totalMs
    around.push({ endMs: startMs + totalMs, row })
  }
  return placed
}

function nameOf({ engine, name, text }: Template): string {
  return `${engine} ${name ?? text ?? ''}`
}

function rowOf({ template, depth, count, totalMs, ownMs }: Placed, isFlat: boolean): Table['rows'][number] {
  const { engine, name, text, startMs, durationMs, callSite, error } = template
  return {
    depth,
    cells: [
      [
        count === 1 ? null : { strong: `${count} ×` },
        name !== null ? { code: name } : { quiet: { code: text ?? 'without a name' } },
        { quiet: [{ recorded: engine }, place(callSite)] },
        error === null ? null : { failure: error },
      ],
      formatDuration(startMs),
      durationMs === null ? 'not ended' : formatDuration(totalMs),
      ...(isFlat ? [] : [durationMs === null ? '–' : formatDuration(Math.max(0, ownMs))]),
    ],
  }
}
