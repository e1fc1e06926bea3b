// What validators found wrong, and where.

import { counted, formatDuration } from '../../base/html/components.ts'
import type { PlainValue } from '../../base/redact/redactor.ts'
import { failureNote, note, place, table, text, value } from '../../observe/blocks/blocks.ts'
import type { Block, Card } from '../../observe/blocks/blocks.ts'
import type { ActivityKind, Happening } from '../../observe/activities/activity.ts'

/** A value that a validator checked. */
export interface ValidationFacts {
  /** `valibot`, `zod`, `ajv`. */
  readonly library: string
  /** Part of the request: `body`, `query`; `null` if unknown. */
  readonly part: string | null
  /** Whether values are kept: those of query and parameters are, others if the route keeps bodies. */
  readonly hasValues: boolean
  /** Masked and cut; `null` if nothing is wrong with it, if it is a text or number by itself, and without values. */
  readonly input: PlainValue | null
  /** The first ones. */
  readonly faults: readonly ValidationFault[]
  readonly faultCount: number
}

export interface ValidationFault {
  /** `items[0].title`; empty for the whole. */
  readonly path: string
  readonly message: string
  /** As one line, masked; `null` if there is nothing. */
  readonly received: string | null
}

type Validation = ValidationFacts & Happening

export const validation: ActivityKind<ValidationFacts> = {
  name: 'validation',
  title: 'Validation',
  noun: ['validation', 'validations'],
  most: 50,
  empty:
    'Nothing was validated. Schemas of routes are captured as they are; hand other schemas of valibot or zod, or an Ajv, over with observe().',
  flag: { word: 'failed', tone: 'warning', is: isWrong },
  draw: ({ entries }) => entries.map(card),
}

function isWrong({ faultCount, error }: Validation): boolean {
  return faultCount > 0 || error !== null
}

function card(one: Validation): Card {
  const { library, part, hasValues, input, faults, faultCount, startMs, durationMs, callSite, error } = one
  const more = faultCount - faults.length
  return {
    kind: 'card',
    head:
      error !== null
        ? { mark: 'threw', tone: 'error' }
        : faultCount === 0
          ? { mark: 'valid', tone: 'success' }
          : { mark: counted(faultCount, 'error'), tone: 'warning' },
    name: { recorded: part ?? library },
    time: durationMs === null ? 'not ended' : formatDuration(durationMs),
    facts: [part === null ? null : { recorded: library }, `+${formatDuration(startMs)}`, place(callSite)],
    blocks: [
      failureNote(error),
      faults.length === 0 ? null : faultTable(faults, hasValues),
      text(!hasValues && faults.length > 0 && 'Values are kept where the body is recorded.'),
      note(more > 0 && `${counted(more, 'more error')} not kept.`),
      value('Input', input === null ? null : { value: input }),
    ],
  }
}

/** A value that a message quotes, masked. */
const quoted = /,? (?:but )?received "?…"?$/

function faultTable(faults: readonly ValidationFault[], hasValues: boolean): Block | null {
  return table(
    'Errors',
    'error',
    ['Where', 'Error', 'Received'],
    faults.map(({ path, message, received }) => [
      path === '' ? 'the whole value' : { code: path },
      { recorded: message.replace(quoted, '') },
      received !== null ? { code: received } : hasValues ? { quiet: 'nothing' } : null,
    ]),
  )
}
