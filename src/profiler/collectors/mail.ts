// The mails of the request, with secrets masked, and recipients where they are not captured.

import type { Redactor } from '../../framework/redact/redactor.ts'
import type { Activities, Happening } from '../activities/activity.ts'
import { activityCollector } from '../activities/collector.ts'
import type { MailContent, MailFacts } from '../activities/mail-facts.ts'
import { recipientHider } from '../activities/mail-recipients.ts'
import type { BuiltInCollector } from '../request-record.ts'

/** A mail as its panel shows it. */
export type Mail = MailFacts & Happening

export type MailData = Activities<MailFacts>

/** Contents beyond the room of a profile go first, those of later mails before those of earlier ones. */
export function mailCollector(redactor: Redactor, capturesRecipients: boolean): BuiltInCollector<MailData> {
  const collector = activityCollector('mail', (mail) => masked(mail, redactor, capturesRecipients))
  return {
    ...collector,
    cut: ({ entries, dropped }, maxBytes) => {
      const bare = entries.map((mail) => ({ ...mail, text: leftOut(mail.text), html: leftOut(mail.html) }))
      let left = maxBytes - bytesOf(bare)
      const kept = entries.map((mail, index) => {
        const without = bare[index] ?? mail
        left -= bytesOf(mail) - bytesOf(without)
        return left >= 0 ? mail : without
      })
      return collector.cut?.({ entries: kept, dropped }, maxBytes) ?? { entries: kept, dropped }
    },
  }
}

function leftOut(content: MailContent | null): MailContent | null {
  return content === null || content.source === null ? content : { source: null, isCut: true }
}

function bytesOf(data: unknown): number {
  return Buffer.byteLength(JSON.stringify(data))
}

/** The server, the text and the links of a mail may name its recipients, too. */
function masked(mail: Mail, redactor: Redactor, capturesRecipients: boolean): Mail {
  const hideRecipients = recipientHider(capturesRecipients ? [] : [...mail.to, ...mail.cc, ...mail.bcc])
  const hide = (text: string): string => redactor.text(hideRecipients(text), text.length + roomForMasks)
  const hideContent = (content: MailContent | null): MailContent | null =>
    content === null || content.source === null ? content : { ...content, source: hide(content.source) }
  const orNothing = (text: string | null): string | null => (text === null ? null : hide(text))
  return {
    ...mail,
    from: orNothing(mail.from),
    to: mail.to.map(hide),
    cc: mail.cc.map(hide),
    bcc: mail.bcc.map(hide),
    subject: hide(mail.subject),
    text: hideContent(mail.text),
    html: hideContent(mail.html),
    attachments: mail.attachments.map((attachment) => ({ ...attachment, name: hide(attachment.name) })),
    response: orNothing(mail.response),
    error: orNothing(mail.error),
  }
}

/** Masked text may be longer than it was. */
const roomForMasks = 65_536
