// The mails of the request: whom they went to, how that ended, and what they look like. Recipients are hidden where they are not captured.

import { channel } from 'node:diagnostics_channel'
import { Channels, type ChannelListener } from '../../observe/tracing-source.ts'
import { counted, formatBytes, formatCount, formatDuration } from '../../base/html/components.ts'
import { failureNote, facts, note, offPage, place, recorded, text } from '../../observe/blocks/blocks.ts'
import type { Blocks, Block, Card, Inline } from '../../observe/blocks/blocks.ts'
import type { ActivityKind, Happening, MaskTools } from '../../observe/activities/activity.ts'
import { quote } from '../../routing/regex-syntax.ts'
import { mask } from '../../base/redact/rules.ts'

interface Question {
  isHeld: boolean
}

const questionName = 'fanlight:mail'

/** Whether an application of this process holds mail back at this moment. */
export function isMailHeld(): boolean {
  const question: Question = { isHeld: false }
  channel(questionName).publish(question)
  return question.isHeld
}

/** Holds mail back from `start()` to `stop()`. */
export function mailHold(): Channels {
  const hold: ChannelListener = (question) => void Object.assign(Object(question), { isHeld: true } satisfies Question)
  return new Channels('mail', { [questionName]: hold })
}

export interface MailFacts {
  /** `nodemailer`. */
  readonly library: string
  /** How the library sends it, in its own words: `SMTP`, `SMTP (pool)`, `StreamTransport`. */
  readonly transport: string
  /** `mail.example.org:587`; `null` if unknown. */
  readonly server: string | null
  readonly from: string | null
  /** Addresses without names; at most 50 in each list. Masked in a profile. */
  readonly to: readonly string[]
  readonly cc: readonly string[]
  readonly bcc: readonly string[]
  /** Of all lists, with those that were not kept. */
  readonly recipientCount: number
  readonly subject: string
  /** `null` if it has none. */
  readonly text: MailContent | null
  /** `null` if it has none. */
  readonly html: MailContent | null
  /** At most 50. */
  readonly attachments: readonly MailAttachment[]
  readonly attachmentCount: number
  /** `<3f0c…@shop.example>`; `null` until it is known. */
  readonly messageId: string | null
  /** The last line of the server: `250 OK`; `null` without one. */
  readonly response: string | null
  /** Recipients that the server refused. */
  readonly refusedCount: number
  /** Whether it was not sent because `APP_MAIL` is `hold`. */
  readonly isHeld: boolean
}

export interface MailContent {
  /** `null` if it comes from a file or a stream, or had to be left out. */
  readonly source: string | null
  /** Whether the rest, or all of it, had to be left out. */
  readonly isCut: boolean
}

export interface MailAttachment {
  readonly name: string
  /** `application/pdf`; empty if the application names none. */
  readonly type: string
  /** `null` where the content comes from a file or a stream. */
  readonly bytes: number | null
}

export type Mail = MailFacts & Happening

export const mail: ActivityKind<MailFacts> = {
  name: 'mail',
  title: 'Mail',
  noun: ['mail', 'mails'],
  most: 50,
  empty: 'No mail was sent. Mails of nodemailer are captured where its transporter is observed.',
  mask: masked,
  // Contents go first, those of later mails before those of earlier ones.
  shrink: (entries, maxBytes) => {
    const bare = entries.map((one) => ({ ...one, text: leftOut(one.text), html: leftOut(one.html) }))
    let left = maxBytes - bytesOf(bare)
    return entries.map((one, index) => {
      const without = bare[index] ?? one
      left -= bytesOf(one) - bytesOf(without)
      return left >= 0 ? one : without
    })
  },
  draw: ({ entries }) => entries.map(card),
}

function leftOut(content: MailContent | null): MailContent | null {
  return content === null || content.source === null ? content : { source: null, isCut: true }
}

function bytesOf(data: unknown): number {
  return Buffer.byteLength(JSON.stringify(data))
}

/** The server, the text and the links of a mail may name its recipients, too. */
function masked(one: Mail, { redactor, capturesRecipients }: MaskTools): Mail {
  const hideRecipients = recipientHider(capturesRecipients ? [] : [...one.to, ...one.cc, ...one.bcc])
  const hide = (text: string): string => redactor.text(hideRecipients(text), text.length + roomForMasks)
  const hideContent = (content: MailContent | null): MailContent | null =>
    content === null || content.source === null ? content : { ...content, source: hide(content.source) }
  const orNothing = (text: string | null): string | null => (text === null ? null : hide(text))
  return {
    ...one,
    from: orNothing(one.from),
    to: one.to.map(hide),
    cc: one.cc.map(hide),
    bcc: one.bcc.map(hide),
    subject: hide(one.subject),
    text: hideContent(one.text),
    html: hideContent(one.html),
    attachments: one.attachments.map((attachment) => ({ ...attachment, name: hide(attachment.name) })),
    response: orNothing(one.response),
    error: orNothing(one.error),
  }
}

/** Masked text may be longer than it was. */
export const roomForMasks = 65_536

function card(one: Mail, index: number): Card {
  const { subject, startMs, durationMs, error, transport, server, messageId, callSite, response } = one
  const { refusedCount, recipientCount } = one
  return {
    kind: 'card',
    head: verdict(one),
    name: subject === '' ? 'without a subject' : { recorded: subject },
    time: durationMs === null ? 'not ended' : formatDuration(durationMs),
    facts: [
      `+${formatDuration(startMs)}`,
      recorded(transport),
      recorded(server),
      offPage(recorded(messageId)),
      place(callSite),
      { file: `mail/${index}.eml`, text: 'Save as .eml' },
    ],
    blocks: [
      failureNote(error),
      note(
        refusedCount !== 0 &&
          `The server refused ${formatCount(refusedCount)} of ${counted(recipientCount, 'recipient')}.`,
      ),
      ...people(one),
      text(response !== null && { code: response }),
      ...attachments(one),
      one.html === null
        ? null
        : one.html.source === null
          ? content('HTML', one.html)
          : {
              kind: 'frame',
              title: 'The mail as HTML',
              path: `mail/${index}`,
              source: content('Source of the HTML', one.html),
            },
      one.text === null ? null : content('Text', one.text, one.html === null),
    ],
  }
}

function verdict({ error, durationMs, isHeld }: Mail): Inline {
  if (error !== null) return { mark: 'failed', tone: 'error' }
  if (durationMs === null) return { mark: 'not ended', tone: 'warning' }
  return isHeld ? { mark: 'held back', tone: 'warning' } : { mark: 'sent', tone: 'success' }
}

function people({ from, to, cc, bcc, recipientCount }: Mail): Blocks {
  const lists = Object.entries({ To: to, Cc: cc, Bcc: bcc }).filter(([, addresses]) => addresses.length > 0)
  const more = recipientCount - to.length - cc.length - bcc.length
  return [
    facts('Sender and recipients', [
      ['From', from === null ? 'nobody' : { recorded: from }],
      ...lists.map(([name, addresses]) => [name, { recorded: addresses.join(', ') }] as const),
    ]),
    note(recipientCount === 0 && 'It has no recipient.'),
    note(more > 0 && `${counted(more, 'more recipient')} not kept.`),
  ]
}

function attachments({ attachments: kept, attachmentCount }: Mail): Blocks {
  if (attachmentCount === 0) return []
  const more = attachmentCount - kept.length
  const names = kept.flatMap(({ name, type, bytes }): readonly Inline[] => {
    const size = bytes === null ? 'from a file or stream' : formatBytes(bytes)
    return [{ code: name }, type === '' ? null : { recorded: type }, `(${size})`]
  })
  return [
    text([`${counted(attachmentCount, 'attachment')}:`, ...names]),
    note(more > 0 && `${counted(more, 'more attachment')} not kept.`),
  ]
}

function content(title: string, { source, isCut }: MailContent, isOpen = false): Block | null {
  if (source !== null) return { kind: 'source', title, text: source, isCut, isOpen }
  const reason = isCut ? 'Left out: the profile has no room for it.' : 'Not read: it comes from a file or a stream.'
  return text(`${title}: ${reason}`)
}

/** Puts `a******@example.org` in place of each address, as it is and as links have it. */
export function recipientHider(addresses: readonly string[]): (text: string) => string {
  const names = new RegExp(addresses.flatMap(spellings).map(quote).join('|') || '(?!)', 'gi')
  return (text) => text.replace(names, (address) => hiddenAddress(address))
}

function spellings(address: string): readonly string[] {
  const encoded = encodeURIComponent(address)
  return encoded === address ? [address] : [address, encoded]
}

/** The first letter tells recipients apart, where enough letters follow it. */
function hiddenAddress(address: string): string {
  const at = /@|%40/i.exec(address)?.index ?? address.length
  return `${at < 4 ? '' : address.slice(0, 1)}${mask}${address.slice(at)}`
}
