// What is known of a mail that was sent, or held back.

/** One mail. */
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

/** The text or the HTML of a mail. */
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
