// The schema of recorded mails.

import type { Activities, Happening } from '../../activities/activity.ts'
import type { MailAttachment, MailContent, MailFacts } from '../../activities/mail-facts.ts'
import { activities, happening } from './activities.ts'
import { nullableText, sentences } from './profiles.ts'
import { boolean, integer, list, nullable, object, text, type Schema } from './schema.ts'

const content: Schema<MailContent | null> = nullable(object<MailContent>({ source: nullableText, isCut: boolean() }))

export const mail: Schema<Activities<MailFacts>> = activities(
  'MailData',
  'Mails, with their recipients masked, in the order they began. Times are milliseconds since the request began; null: unknown.',
  object<MailFacts & Happening>({
    ...happening,
    library: text(),
    transport: text(),
    server: nullableText,
    from: nullableText,
    to: sentences,
    cc: sentences,
    bcc: sentences,
    recipientCount: integer(),
    subject: text(),
    text: content,
    html: content,
    attachments: list(object<MailAttachment>({ name: text(), type: text(), bytes: nullable(integer()) })),
    attachmentCount: integer(),
    messageId: nullableText,
    response: nullableText,
    refusedCount: integer(),
    isHeld: boolean(),
  }),
)
