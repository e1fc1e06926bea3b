// Mails that a transporter of `nodemailer` sends. What its plugins make of a mail is known when the transport gets it; whether it
// was sent, when the transport calls back.

import { AsyncLocalStorage } from 'node:async_hooks'
import { type RunningActivity } from '../../observe/activities/activity.ts'
import { beginActivity } from '../../observe/activities/begin-activity.ts'
import {
  mail as kind,
  type MailAttachment,
  type MailContent,
  type MailFacts,
  isMailHeld,
} from '../../capture/activities/mail.ts'
import { deepStackFrames } from '../../capture/begin-query.ts'
import { followCall, followCallback, type Callback, define } from '../../http/kernel/follow-call.ts'
import { inPlace, isCallback } from '../../observe/tracing-source.ts'
import { hasMethods, markObserved, type ObservableOf } from './wrap-method.ts'
import { membersOf, listOf } from '../../base/members.ts'

/** The part of a transporter that is observed. */
interface Mailer {
  sendMail: (...args: unknown[]) => unknown
  readonly transporter: Transport
}

interface Transport {
  readonly name?: unknown
  readonly options?: unknown
  send: (mail: SentMail, done: Callback) => unknown
}

interface SentMail {
  readonly data: Readonly<Record<string, unknown>>
  readonly message: {
    getEnvelope(): { readonly from: unknown; readonly to: readonly string[] }
    messageId(): string
    createReadStream(): NodeJS.ReadableStream
  }
}

type Running = RunningActivity<MailFacts> | undefined

export const mailTransporter: ObservableOf<Mailer> = {
  what: 'a transporter of nodemailer',
  fits: (target): target is Mailer =>
    hasMethods(target, ['sendMail']) && hasMethods(Object(Reflect.get(target, 'transporter')), ['send']),
  observe: (mailer) => {
    if (markObserved(mailer.transporter)) observeMailer(mailer)
  },
}

function observeMailer(mailer: Mailer): void {
  const { sendMail, transporter: transport } = mailer
  const sending = new AsyncLocalStorage<Running>()
  const { send } = transport
  define(mailer, 'sendMail', function observedSendMail(this: unknown, data: unknown, callback: unknown): unknown {
    const running = beginActivity(kind, () => {
      const facts = factsOf(membersOf(data), transport)
      return { facts, site: deepStackFrames, span: { name: 'mail', kind: 'client', category: 'mail' } }
    })
    const call = (...rest: Callback[]): unknown =>
      sending.run(running, () => Reflect.apply(sendMail, this, [data, ...rest]))
    const ended = (info: unknown): void => running?.end(resultOf(info))
    const failed = (thrown: unknown): void => running?.fail(thrown)
    return isCallback(callback)
      ? followCallback(inPlace(callback), call, ended, failed)
      : followCall(call, ended, failed)
  })
  define(transport, 'send', function observedSend(this: unknown, mail: SentMail, done: Callback): unknown {
    const running = sending.getStore()
    running?.update(factsOf(mail.data, transport))
    if (!isMailHeld()) return Reflect.apply(send, this, [mail, done])
    running?.update({ isHeld: true })
    hold(mail, done)
    return undefined
  })
}

/** Makes the whole mail, as sending would, so that a file that is missing fails here too. */
function hold({ message }: SentMail, done: Callback): void {
  const envelope = message.getEnvelope()
  const info = { envelope, messageId: message.messageId(), accepted: envelope.to, rejected: [], pending: [], response }
  message
    .createReadStream()
    .on('error', (error) => done(error))
    .on('end', () => done(null, info))
    .resume()
}

const response = '250 Held back by Fanlight'

function resultOf(info: unknown): Partial<MailFacts> {
  const { messageId, response: last, rejected } = membersOf(info)
  return {
    ...(typeof messageId === 'string' ? { messageId: messageId.slice(0, maxLine) } : {}),
    ...(typeof last === 'string' ? { response: last.slice(0, maxLine) } : {}),
    ...(Array.isArray(rejected) ? { refusedCount: rejected.length } : {}),
  }
}

type Fields = Readonly<Record<string, unknown>>

/** Bounds of what is kept of a mail: addresses of a list and attachments, and characters. */
const maxListed = 50
const maxLine = 500
const maxText = 16_384
const maxHtml = 65_536
/** Recipients that are counted at most. */
const maxCounted = 10_000

function factsOf(data: Fields, { name, options }: Transport): MailFacts {
  const [to, cc, bcc] = [addresses(data['to']), addresses(data['cc']), addresses(data['bcc'])]
  const attachments = listOf(data['attachments'])
  const { subject } = data
  return {
    library: 'nodemailer',
    transport: typeof name === 'string' ? name.slice(0, 100) : '',
    server: serverOf(options),
    from: addresses(data['from'])[0] ?? null,
    to: to.slice(0, maxListed),
    cc: cc.slice(0, maxListed),
    bcc: bcc.slice(0, maxListed),
    recipientCount: to.length + cc.length + bcc.length,
    subject: typeof subject === 'string' ? subject.slice(0, maxLine) : '',
    text: contentOf(data['text'], maxText),
    html: contentOf(data['html'], maxHtml),
    attachments: attachments.slice(0, maxListed).map(attachmentOf),
    attachmentCount: attachments.length,
    messageId: null,
    response: null,
    refusedCount: 0,
    isHeld: false,
  }
}

function serverOf(options: unknown): string | null {
  const { host, port } = membersOf(options)
  if (typeof host !== 'string') return null
  return `${host.slice(0, 255)}${typeof port === 'number' || typeof port === 'string' ? `:${port}` : ''}`
}

/** Text with several addresses, an object with one, or a list of both. */
function addresses(value: unknown): string[] {
  if (typeof value === 'string') {
    return Array.from(value.slice(0, maxHtml).matchAll(/[^\s<>,;:"()]+@[^\s<>,;:"()]+/g), ([address]) =>
      address.slice(0, maxLine),
    )
  }
  if (Array.isArray(value)) return value.slice(0, maxCounted).flatMap((one: unknown) => addresses(one))
  return typeof value === 'object' && value !== null ? addresses(Reflect.get(value, 'address')) : []
}

/** Text, bytes, or an object that holds one of them; files and streams are not read. */
function contentOf(value: unknown, maxLength: number): MailContent | null {
  if (value === undefined || value === null || value === '') return null
  const content: unknown = isContent(value) ? value : Reflect.get(Object(value), 'content')
  if (!isContent(content)) return { source: null, isCut: false }
  // A character has four bytes at most.
  const source = typeof content === 'string' ? content : Buffer.from(content.subarray(0, maxLength * 4)).toString()
  return { source: source.slice(0, maxLength), isCut: source.length > maxLength || content.length > maxLength * 4 }
}

function isContent(value: unknown): value is string | Uint8Array {
  return typeof value === 'string' || value instanceof Uint8Array
}

function attachmentOf(value: unknown): MailAttachment {
  const { filename, path, href, contentType, content, encoding } = membersOf(value)
  const source = [filename, path, href].find((one) => typeof one === 'string')
  // Only the last part: the folder is the application's own matter, and a data URL has all of the content.
  const name = (source ?? '').startsWith('data:') ? '' : ((source ?? '').split(/[/\\]/).pop() ?? '').split('?')[0]
  return {
    name: (name || 'without a name').slice(0, 200),
    type: typeof contentType === 'string' ? contentType.slice(0, 100) : '',
    bytes: isContent(content) ? byteLength(content, encoding) : null,
  }
}

function byteLength(content: string | Uint8Array, encoding: unknown): number {
  if (typeof content !== 'string') return content.byteLength
  const known = typeof encoding === 'string' && Buffer.isEncoding(encoding) ? encoding : 'utf8'
  return Buffer.byteLength(content, known)
}
