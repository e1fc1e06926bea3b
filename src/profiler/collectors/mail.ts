// The mails of the request, with recipients and secrets masked.

import type { Redactor } from '../../framework/redact/redactor.ts'
import { mask } from '../../framework/redact/rules.ts'
import type { Activities, Happening } from '../activities/activity.ts'
import { activityCollector } from '../activities/collector.ts'
import type { MailContent, MailFacts } from '../activities/mail-facts.ts'
import type { BuiltInCollector } from '../request-record.ts'

/** A mail as its panel shows it. */
export type Mail = MailFacts & Happening

export type MailData = Activities<MailFacts>

/** Contents beyond the room of a profile go first, those of later mails before those of earlier ones. */
export function mailCollector(redactor: Redactor): BuiltInCollector<MailData> {
  const collector = activityCollector('mail', redactor, (mail) => masked(mail, redactor))
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
function masked(mail: Mail, redactor: Redactor): Mail {
  const recipients = [...mail.to, ...mail.cc, ...mail.bcc]
  const names = new RegExp(recipients.flatMap(spellings).map(escaped).join('|') || '(?!)', 'gi')
  const hide = (text: string): string =>
    redactor.text(
      text.replace(names, (address) => hiddenAddress(address)),
      text.length + roomForMasks,
    )
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

/** As it is, and as links have it. */
function spellings(address: string): readonly string[] {
  const encoded = encodeURIComponent(address)
  return encoded === address ? [address] : [address, encoded]
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
}

/** `a******@example.org`: the first letter tells recipients apart, where enough letters follow it. */
function hiddenAddress(address: string): string {
  const at = /@|%40/i.exec(address)?.index ?? address.length
  return `${at < 4 ? '' : address.slice(0, 1)}${mask}${address.slice(at)}`
}
