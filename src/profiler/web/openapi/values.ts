// Schemas that several parts of a profile share: plain and dumped values, sub-requests.

import type { RecordedChild } from '../../request-record.ts'
import type { PlainValue } from '../../../framework/redact/plain-value.ts'
import type { DumpedValue } from '../../../framework/redact/redactor.ts'
import type { ValueTree } from '../../../framework/redact/value-tree.ts'
import { token } from './profiles.ts'
import {
  anyOf,
  anything,
  boolean,
  integer,
  list,
  named,
  nothing,
  number,
  object,
  optional,
  recursive,
  text,
  tuple,
  type Members,
  type Schema,
} from './schema.ts'

export const plainValue: Schema<PlainValue> = anything<PlainValue>()
const head = text({ description: 'The class, with the size of a map or set; empty for plain objects and arrays.' })

const valueTree: Schema<ValueTree> = recursive<ValueTree>(
  'ValueTree',
  'A value with what JSON loses: classes, sizes, circles, and where it was cut.',
  (self) =>
    anyOf(
      text(),
      number(),
      boolean(),
      nothing(),
      object<{ readonly mark: string }>({ mark: text() }),
      object<{ readonly more: number }>({ more: integer() }),
      object<{ readonly circular: number }>({ circular: integer() }),
      object<{ readonly deep: string }>({ deep: text() }),
      object<{ readonly head: string; readonly list: readonly ValueTree[] }>({ head, list: list(self) }),
      object<{ readonly head: string; readonly fields: readonly (readonly [name: string, value: ValueTree])[] }>({
        head,
        fields: list(tuple(text(), self)),
      }),
      object<{ readonly head: string; readonly map: readonly (readonly [key: ValueTree, value: ValueTree])[] }>({
        head,
        map: list(tuple(self, self)),
      }),
    ),
)

export const dumpedMembers: Members<DumpedValue> = { value: plainValue, tree: optional(valueTree) }

export const dumpedValue: Schema<DumpedValue> = object<DumpedValue>(dumpedMembers)

export const recordedChild: Schema<RecordedChild> = named(
  'SubRequest',
  'A sub-request, as the profile of its parent lists it.',
  object<RecordedChild>({ token, handler: text(), status: integer(), startMs: number(), durationMs: number() }),
)
