// Mails in the profile: `POST /orders` sends a confirmation. Start it with `APP_ENV=dev APP_MAIL=hold`, which sends nothing; without
// `APP_MAIL`, name a server by `SMTP_URL`. In your project, import from 'fanlight' and 'fanlight/capture'.

import { createTransport } from 'nodemailer'
import { observe } from '../src/capture.ts'
import { createApp, json, RouteCollection, run } from '../src/index.ts'

const mailer = observe(createTransport(process.env['SMTP_URL'] ?? 'smtp://127.0.0.1:1025'))

const routes = new RouteCollection().post('order', '/orders', async () => {
  const { messageId } = await mailer.sendMail({
    from: 'Fan shop <orders@shop.example>',
    to: 'Ada Lovelace <ada.lovelace@example.org>',
    subject: 'Your order 12',
    text: 'Three fans are on their way.',
    html: '<h1 style="color: #1d6b41">Your order 12</h1><p>Three fans are on their way.</p>',
    attachments: [{ filename: 'invoice.txt', content: 'Three fans, 90.00 EUR', contentType: 'text/plain' }],
  })
  return json({ messageId }, { status: 201 })
})

await run((context) => createApp({ context, routes }))
