// Mails in the profile, with nodemailer as it is and a real SMTP server.

import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { after, before, describe, it } from 'node:test'
import { createTransport, type Transporter } from 'nodemailer'
import { observe } from '../../../src/capture.ts'
import type { Activities } from '../../../src/observe/activities/activity.ts'
import { type Mail, type MailFacts, mail as kind } from '../../../src/capture/activities/mail.ts'
import { activityCollector } from '../../../src/capture/parts.ts'
import { Redactor } from '../../../src/base/redact/redactor.ts'
import type { Profile } from '../../../src/observe/profile.ts'
import { maskProfile } from '../../../src/analysis/export/export-forms.ts'
import { profiler } from '../../../src/profiler.ts'
import { activityTools } from '../../support/activities.ts'
import { profileOf, startWorking, type Work } from '../../support/captured.ts'
import { startMailServer, type MailServer } from '../../support/mail-server.ts'
import type { RunningAppOptions } from '../../support/running-app.ts'

const { panel, recorded, drawn: drawnData } = activityTools(kind)
let server: MailServer
let mailer: Transporter
before(async () => {
  server = await startMailServer()
  mailer = observed({ host: '127.0.0.1', port: server.port })
})
after(async () => {
  mailer.close()
  await server[Symbol.asyncDispose]()
})

describe('mails of nodemailer', () => {
  it('keeps sender, recipients masked, subject, contents, attachments, message id and what the server said', async () => {
    let info: { readonly messageId: string } | undefined
    const { mail, profile } = await sent(async () => {
      info = await mailer.sendMail({
        from: 'Shop <shop@example.org>',
        to: ['Ada Lovelace <ada.lovelace@example.org>', { name: 'Bo', address: 'bo@example.org' }],
        cc: 'grace@example.org, edsger@example.org',
        bcc: 'donald@example.org',
        subject: 'Your order, ada.lovelace@example.org',
        text: 'Confirm at https://shop.example/confirm?token=abcdefghijklmnop',
        html: '<a href="https://shop.example/leave?who=ada.lovelace%40example.org">leave</a>',
        attachments: [
          { filename: 'invoice.pdf', content: Buffer.alloc(2048), contentType: 'application/pdf' },
          { filename: 'note.txt', content: 'aGVsbG8=', encoding: 'base64' },
          { path: `${import.meta.dirname}/mail.test.ts` },
        ],
      })
    })
    assert.ok(mail.durationMs !== null && mail.durationMs > 0)
    const { startMs, durationMs, callSite, response, ...facts } = mail
    assert.match(callSite ?? '', /capture\/mail\.test\.ts:\d+/)
    assert.match(response ?? '', /^250 /)
    assert.deepEqual(facts, {
      library: 'nodemailer',
      transport: 'SMTP',
      server: `127.0.0.1:${server.port}`,
      from: 'shop@example.org',
      to: ['a******@example.org', '******@example.org'],
      cc: ['g******@example.org', 'e******@example.org'],
      bcc: ['d******@example.org'],
      recipientCount: 5,
      subject: 'Your order, a******@example.org',
      text: { source: 'Confirm at https://shop.example/confirm?token=******', isCut: false },
      html: { source: '<a href="https://shop.example/leave?who=a******%40example.org">leave</a>', isCut: false },
      attachments: [
        { name: 'invoice.pdf', type: 'application/pdf', bytes: 2048 },
        { name: 'note.txt', type: '', bytes: 5 },
        { name: 'mail.test.ts', type: '', bytes: null },
      ],
      attachmentCount: 3,
      messageId: info?.messageId,
      refusedCount: 0,
      isHeld: false,
      error: null,
    })
    assert.match(server.received.at(-1) ?? '', /^To: Ada Lovelace <ada\.lovelace@example\.org>, Bo/m)
    assert.doesNotMatch(JSON.stringify(profile), /lovelace|edsger|donald|Lovelace|abcdefghijklmnop/)
    const { spans } = profile.data['time'] as { readonly spans: readonly { readonly category: string }[] }
    assert.equal(spans.filter(({ category }) => category === 'mail').length, 1)
  })

  it('keeps what failed at the server, before the server, and for some of the recipients', async () => {
    const { entries } = await recorded(
      async () => {
        await mailer.sendMail({ from: 'a@b.example', to: 'nobody.here@example.org' }).catch(() => undefined)
        await mailer.sendMail({ to: 'x@example.org', text: { path: '/not/there' } }).catch(() => undefined)
        await mailer.sendMail({ from: 'a@b.example', to: 'nobody@example.org, ada@example.org' })
      },
      { captureRecipients: false },
    )
    const [refused, unread, partly] = entries
    assert.match(refused?.error ?? '', /there is no mailbox n\*{6}@example\.org/)
    assert.match(unread?.error ?? '', /ENOENT|not\/there/)
    assert.deepEqual(unread?.text, { source: null, isCut: false })
    assert.equal(partly?.error, null)
    assert.equal(partly.refusedCount, 1)
    const text = drawn(entries)
    assert.match(text, /failed/)
    assert.match(text, /The server refused 1 of 2 recipients/)
    assert.match(text, /Text: Not read: it comes from a file or a stream/)
  })

  it('changes nothing for the application: callbacks, errors, defaults, plugins, values', async () => {
    const plain = observed({ jsonTransport: true }, { from: 'default@example.org' })
    plain.use('compile', (mail, done) => {
      Object.assign(mail.data, { html: `<p>${String(mail.data.subject)}</p>` })
      done()
    })
    const { mail } = await sent(
      async () =>
        new Promise<void>((resolve, reject) => {
          const given = { to: 'ada@example.org', subject: 'Hello' }
          const result: unknown = plain.sendMail(given, (error, info) => {
            try {
              assert.equal(error, null)
              assert.match(String(info.message), /"subject":"Hello"/)
              assert.deepEqual(given, { to: 'ada@example.org', subject: 'Hello' })
              resolve()
            } catch (wrong) {
              reject(wrong as Error)
            }
          })
          assert.equal(result, undefined)
        }),
    )
    assert.equal(mail.from, 'default@example.org')
    assert.equal(mail.html?.source, '<p>Hello</p>')
    assert.equal(mail.transport, 'JSONTransport')
    // Outside a request nothing is kept, and mails are sent.
    assert.match(String((await plain.sendMail({ to: 'x@example.org', subject: 'Alone' })).message), /Alone/)
  })

  it('does not hold up a response: a mail that is still being sent has not ended', async () => {
    const stalled = observed({ name: 'stalled', version: '1', send: () => undefined })
    const { mail } = await sent(() => void stalled.sendMail({ to: 'ada@example.org', subject: 'Later' }))
    assert.equal(mail.durationMs, null)
    assert.match(drawn([mail]), /not ended/)
  })

  it('is held within bounds: many mails, recipients, attachments, long contents', async () => {
    const plain = observed({ jsonTransport: true })
    const { data, entries, profile } = await recorded(async () => {
      for (let turn = 0; turn < kind.most + 5; turn += 1) {
        await plain.sendMail({
          to: Array.from({ length: 200 }, (_, index) => `reader${index}@example.org`),
          subject: 's'.repeat(1e5),
          html: `<p>${'x'.repeat(3e5)}</p>`,
          text: Buffer.from('ü'.repeat(1e5)),
          attachments: Array.from({ length: 80 }, () => ({ filename: 'n'.repeat(1000), content: 'x' })),
        })
      }
    })
    assert.equal(entries.length + (data?.dropped ?? 0), kind.most + 5)
    assert.ok(JSON.stringify(profile).length < 300_000)
    const [first, ...others] = entries
    assert.deepEqual([first?.recipientCount, first?.to.length, first?.attachmentCount], [200, 50, 80])
    assert.equal(first?.html?.isCut, true)
    assert.deepEqual(others.at(-1)?.html, { source: null, isCut: true })
    assert.match(drawn([others.at(-1) as Mail]), /150 more recipients not kept.*HTML: Left out/s)
  })

  it('reads strange mails', async () => {
    const plain = observed({ streamTransport: true, buffer: true })
    const { entries } = await recorded(async () => {
      for (const given of [
        undefined,
        {},
        {
          to: [[{ address: 'ada@example.org' }], null, 7],
          subject: 7,
          attachments: [null, 'x', { path: 'data:text/plain,hi' }],
        },
        { raw: 'Subject: raw\r\n\r\nhi', envelope: { from: 'a@b.example', to: ['ada@example.org'] } },
        { to: 'ada@example.org', html: Readable.from(['<p>']) },
      ]) {
        await plain.sendMail(given as object).catch(() => undefined)
      }
    })
    assert.equal(entries.length, 5)
    assert.deepEqual(entries[2]?.to, ['ada@example.org'])
    assert.deepEqual(entries[4]?.html, { source: null, isCut: false })
    assert.match(drawn(entries), /It has no recipient/)
  })
})

describe('APP_MAIL=hold', () => {
  it('keeps mails in the profile and sends none, in and outside requests', async () => {
    const before = server.received.length
    let response: unknown
    await using app = await startWorking(
      async () => {
        const info = await mailer.sendMail({ from: 'a@b.example', to: 'ada@example.org', subject: 'Held', text: 'x' })
        response = info.response
      },
      { env: { APP_MAIL: 'hold' } },
    )
    const { entries } = (await profileOf(app)).data['mail'] as Activities<MailFacts>
    assert.equal(entries[0]?.isHeld, true)
    assert.match(entries[0]?.messageId ?? '', /^<.+@.+>$/)
    assert.equal(response, '250 Held back by Fanlight')
    assert.match(drawn(entries), /held back/)
    const { accepted } = await mailer.sendMail({ from: 'a@b.example', to: 'ada@example.org', text: 'y' })
    assert.deepEqual(accepted, ['ada@example.org'])
    await assert.rejects(mailer.sendMail({ to: 'ada@example.org', text: { path: '/not/there' } }), /ENOENT|not\/there/)
    assert.equal(server.received.length, before)
    await app[Symbol.asyncDispose]()
    await mailer.sendMail({ from: 'a@b.example', to: 'ada@example.org', subject: 'Sent again' })
    assert.match(server.received.at(-1) ?? '', /Sent again/)
  })
})

describe('the mail panel', () => {
  it('shows HTML in a frame that may do nothing, and its source alone in a file', async () => {
    const { data } = await recorded(async () => {
      await observed({ jsonTransport: true }).sendMail({ to: 'ada@example.org', html: '<b>hi</b>' })
    })
    const view = { profile: { token: 'abc' }, linkTo: (token: string) => `/_profiler/${token}?list=x` }
    const page = String(panel.render(data, { ...view, values: new Map() } as never))
    assert.match(page, /<iframe\s[^>]*sandbox=""[^>]*\ssrc="\/_profiler\/abc\/mail\/0"\s*>/)
    assert.match(page, /<a href="\/_profiler\/abc\/mail\/0\.eml" download>Save as \.eml<\/a>/)
    assert.doesNotMatch(String(panel.render(data, view as never)), /<iframe|\.eml/)
  })

  it('hands its HTML to those who may open the profile, under its own policy', async () => {
    const plain = observed({ jsonTransport: true })
    const people = { from: 'shop@example.org', to: ['ada@example.org', 'bob@example.org'], cc: 'eve@example.org' }
    const sent = {
      ...people,
      subject: 'Grüße für Ihre Bestellung\r\nBcc: mallory@example.org',
      messageId: '<7@shop>',
      html: `<p>${'ü'.repeat(50)}</p>`,
    }
    await using app = await startWorking(async () => {
      await plain.sendMail({ to: 'ada@example.org', html: '<b>hi</b><LINK rel="preconnect" href="http://there">' })
      await plain.sendMail({ to: 'ada@example.org', text: 'no html' })
      await plain.sendMail({ ...sent, text: 'password: hunter2' })
    })
    const { token } = await profileOf(app)
    const shown = await app.send({ target: `/_profiler/${token}/mail/0` })
    assert.equal(
      shown.body,
      '<!doctype html><base target="_blank"><b>hi</b><x-link rel="preconnect" href="http://there">',
    )
    assert.match(
      shown.header('content-security-policy') ?? '',
      /^sandbox; default-src 'none';.* frame-ancestors 'self'$/,
    )
    assert.equal(shown.header('x-frame-options'), 'SAMEORIGIN')
    assert.equal(shown.header('cache-control'), 'no-store')
    assert.equal((await app.send({ method: 'HEAD', target: `/_profiler/${token}/mail/0` })).status, 200)
    const saved = await app.send({ target: `/_profiler/${token}/mail/2.eml` })
    assert.equal(saved.header('content-type'), 'message/rfc822')
    assert.equal(saved.header('content-disposition'), `attachment; filename="mail-${token}-2.eml"`)
    assert.equal(saved.header('x-content-type-options'), 'nosniff')
    const [date = '', ...lines] = saved.body.split('\r\n')
    assert.match(date, /^Date: \w{3}, \d\d \w{3} \d{4} [\d:]{8} \+0000$/)
    const subject = lines.filter((line) => line.includes('=?utf-8?B?')).map((line) => line.split('?')[3] ?? '')
    assert.equal(subject.map((word) => Buffer.from(word, 'base64').toString()).join(''), sent.subject)
    assert.deepEqual(
      lines.filter((line) => !line.includes('=?utf-8?B?')),
      [
        'From: shop@example.org',
        'To: ada@example.org, bob@example.org',
        'Cc: eve@example.org',
        'Message-ID: <7@shop>',
        'MIME-Version: 1.0',
        'Content-Type: multipart/alternative; boundary="_fanlight_"',
        '',
        '--_fanlight_',
        'Content-Type: text/plain; charset=utf-8',
        'Content-Transfer-Encoding: base64',
        '',
        Buffer.from('password: ******').toString('base64'),
        '',
        '--_fanlight_',
        'Content-Type: text/html; charset=utf-8',
        'Content-Transfer-Encoding: base64',
        '',
        ...(Buffer.from(sent.html)
          .toString('base64')
          .match(/.{1,76}/g) ?? []),
        '',
        '--_fanlight_--',
        '',
      ],
    )
    const noHtml = await app.send({ target: `/_profiler/${token}/mail/1.eml` })
    assert.ok(noHtml.body.includes(Buffer.from('no html').toString('base64')) && !noHtml.body.includes('text/html'))
    assert.equal((await app.send({ method: 'POST', target: `/_profiler/${token}/mail/0` })).status, 405)
    for (const missing of [
      `${token}/mail/1`,
      `${token}/mail/3`,
      `${token}/mail/3.eml`,
      `${token}/mail/0.emlx`,
      `${token}/mail/99999999999999999999`,
      'abcdefghijkl/mail/0',
    ]) {
      assert.equal((await app.send({ target: `/_profiler/${missing}` })).status, 404, missing)
    }
    const headers = ['Host: evil.example']
    assert.equal((await app.send({ target: `/_profiler/${token}/mail/0`, headers })).status, 403)
    const panel = await app.send({ target: `/_profiler/${token}?panel=mail` })
    assert.match(panel.header('content-security-policy') ?? '', /frame-src 'self'/)
    const other = await app.send({ target: `/_profiler/${token}?panel=time` })
    assert.doesNotMatch(other.header('content-security-policy') ?? '', /frame-src/)
  })

  it('shows recipients in development, and hides them in exports and wherever else the profile names them', async () => {
    const { mail, profile } = await sent(async ({ log }) => {
      log.info('Write to grace.hopper@example.org.')
      await mailer.sendMail({
        from: 'shop@example.org',
        to: 'Grace <grace.hopper@example.org>',
        subject: 'Order of grace.hopper@example.org',
        text: 'https://shop.example/confirm?token=abcdefghijklmnop',
      })
    }, {})
    assert.deepEqual(
      [mail.to, mail.subject, mail.text?.source],
      [['grace.hopper@example.org'], 'Order of grace.hopper@example.org', 'https://shop.example/confirm?token=******'],
    )
    const exported = maskProfile(profile, new Redactor())
    assert.doesNotMatch(JSON.stringify(exported.profile), /grace\.hopper@/)
    assert.match(JSON.stringify(exported.profile), /Write to g\*{6}@example\.org/)
    assert.ok(exported.places.includes('data.mail.entries.0.to.0'))
    assert.equal(maskProfile(exported.profile, new Redactor()).newlyMasked, 0)
  })

  it('refuses a value of captureRecipients that is none', () => {
    assert.throws(() => profiler({ captureRecipients: 1 as never }), /"captureRecipients" of profiler\(\) is 1/)
  })

  it('keeps contents of earlier mails where a profile has no room for all', async () => {
    const { data } = await recorded(async () => {
      const plain = observed({ jsonTransport: true })
      for (let turn = 0; turn < 3; turn += 1) await plain.sendMail({ text: 'x'.repeat(1000) })
    })
    const { cut } = activityCollector(kind, { redactor: new Redactor(), projectRoot: '/', capturesRecipients: false })
    assert.ok(cut !== undefined && data !== undefined)
    const { entries, dropped } = cut(
      data,
      Buffer.byteLength(JSON.stringify(data.entries)) - 500,
    ) as Activities<MailFacts>
    assert.deepEqual(
      entries.map(({ text }) => text?.isCut),
      [false, false, true],
    )
    assert.equal(dropped, 0)
  })
})

function observed(...options: Parameters<typeof createTransport>): Transporter {
  return observe(createTransport(...options) as Transporter)
}

async function sent(
  work: Work,
  options: RunningAppOptions = { captureRecipients: false },
): Promise<{ readonly mail: Mail; readonly profile: Profile }> {
  const { entries, profile } = await recorded(work, options)
  const [mail, ...others] = entries
  assert.ok(mail !== undefined)
  assert.deepEqual(others, [])
  return { mail, profile }
}

const drawn = (entries: readonly Mail[]): string =>
  drawnData({ entries, dropped: 0 }, { profile: { token: 'abc' }, linkTo: () => '' })
