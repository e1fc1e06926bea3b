// Draws the mails of the request: whom they went to, how that ended, and what they look like.

import { badge, emptyState, fold, formatBytes, formatDuration } from '../../../framework/html/components.ts'
import { html, type SafeHtml } from '../../../framework/html/html.ts'
import { styleSheet } from '../../../framework/html/style-sheet.ts'
import { placeLink } from '../../../errors/page/editor-link.ts'
import { countOf, cutMark, PageBudget } from '../../../errors/page/page-budget.ts'
import type { MailAttachment, MailContent } from '../../activities/mail-facts.ts'
import type { Mail, MailData } from '../../collectors/mail.ts'
import { keptMark } from '../notes.ts'
import type { Panel, PanelView } from '../panel.ts'
import { belowProfile } from './below-profile.ts'

const listBytes = 500_000

export const mailPanel: Panel<MailData> = {
  name: 'mail',
  title: 'Mail',
  hidesWhenEmpty: true,
  badge: ({ entries, dropped }) => {
    const failed = entries.filter(({ error }) => error !== null).length
    const hint = countOf(entries.length + dropped, 'mail')
    if (failed > 0) return { count: failed, tone: 'error', hint: `${failed} failed of ${hint}` }
    return { count: entries.length + dropped, tone: 'neutral', hint }
  },
  render: (data, view) => {
    if (data === undefined) {
      return emptyState('No mail was sent. Mails of nodemailer are captured where its transporter is observed.')
    }
    const budget = new PageBudget(listBytes)
    const rest = (missing: number): SafeHtml => cutMark(`${countOf(missing, 'more mail')} not shown.`)
    return html`${keptMark(data.entries.length, data.dropped, 'mails')}
    ${budget.list(data.entries, (mail, index) => budget.spend(mailCard(mail, index, view)), { rest })}`
  },
}

function mailCard(mail: Mail, index: number, view: PanelView): SafeHtml {
  const { subject, durationMs, error, callSite, response, refusedCount } = mail
  return html`<article class="card outgoing-call">
    <h3 class="outgoing-head">
      ${verdict(mail)} <span class="url">${subject === '' ? 'without a subject' : subject}</span>
      <span class="outgoing-time">${durationMs === null ? 'not ended' : formatDuration(durationMs)}</span>
    </h3>
    <p class="muted small">${facts(mail)}${callSite === null ? null : html` · ${placeLink(callSite, view.editor)}`}</p>
    ${error === null ? null : html`<p class="note tone-error">${error}</p>`}
    ${refusedCount === 0 ? null : html`<p class="note tone-warning">${refused(mail)}</p>`} ${people(mail)}
    ${response === null ? null : html`<p class="muted small mono">${response}</p>`} ${attachments(mail)}
    ${markup(mail, index, view)} ${content('Text', mail.text, true)}
  </article> `
}

function verdict({ error, durationMs, isHeld }: Mail): SafeHtml {
  if (error !== null) return badge('failed', 'error')
  if (durationMs === null) return badge('not ended', 'warning')
  return isHeld ? badge('held back', 'warning') : badge('sent', 'success')
}

function facts({ startMs, transport, server, messageId }: Mail): string {
  const known = [`+${formatDuration(startMs)}`, transport, server, messageId]
  return known.filter((fact) => fact !== null && fact !== '').join(' · ')
}

function refused({ refusedCount, recipientCount }: Mail): string {
  return `The server refused ${refusedCount} of ${countOf(recipientCount, 'recipient')}.`
}

function people({ from, to, cc, bcc, recipientCount }: Mail): SafeHtml {
  const lists = Object.entries({ To: to, Cc: cc, Bcc: bcc }).filter(([, addresses]) => addresses.length > 0)
  const more = recipientCount - to.length - cc.length - bcc.length
  return html`<dl class="mail-people">
      <dt>From</dt>
      <dd>${from ?? 'nobody'}</dd>
      ${lists.map(
        ([name, addresses]) =>
          html`<dt>${name}</dt>
            <dd>${addresses.join(', ')}</dd> `,
      )}
    </dl>
    ${recipientCount === 0 ? html`<p class="note tone-warning">It has no recipient.</p>` : null}
    ${more > 0 ? cutMark(`${countOf(more, 'more recipient')} not kept.`) : null}`
}

function attachments({ attachments: kept, attachmentCount }: Mail): SafeHtml | null {
  if (attachmentCount === 0) return null
  const more = attachmentCount - kept.length
  return html`<p class="small">
      ${countOf(attachmentCount, 'attachment')}:
      ${kept.map((one, index) => html`${index === 0 ? '' : ', '}<span class="mono">${one.name}</span> (${sizeOf(one)})`)}
    </p>
    ${more > 0 ? cutMark(`${countOf(more, 'more attachment')} not kept.`) : null}`
}

function sizeOf({ type, bytes }: MailAttachment): string {
  const size = bytes === null ? 'from a file or stream' : formatBytes(bytes)
  return type === '' ? size : `${type}, ${size}`
}

/** The page that the frame shows is there while the profiler runs; an exported file has the source alone. */
function markup({ html: source }: Mail, index: number, view: PanelView): SafeHtml | null {
  if (source === null || source.source === null || view.values === undefined) return content('HTML', source, true)
  const address = belowProfile(view, `mail/${index}`)
  return html`<iframe class="mail-frame" sandbox="" loading="lazy" title="The mail as HTML" src="${address}"></iframe>
    ${content('Source of the HTML', source, false)}`
}

function content(title: string, part: MailContent | null, isOpen: boolean): SafeHtml | null {
  if (part === null) return null
  if (part.source === null) {
    const reason = part.isCut
      ? 'Left out: the profile has no room for it.'
      : 'Not read: it comes from a file or a stream.'
    return html`<p class="muted small">${title}: ${reason}</p>`
  }
  return fold(
    title,
    html`<pre class="block mono mail-source" tabindex="0" aria-label="${title}">${part.source}</pre>
      ${part.isCut ? cutMark('The rest was not kept.') : null}`,
    { isOpen },
  )
}

export const mailStyles: SafeHtml = styleSheet(`
.mail-people { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 0 var(--space-3); font-size: var(--size-small) }
.mail-people dt { color: var(--muted) }
.mail-people dd { overflow-wrap: anywhere }
.mail-frame { display: block; width: 100%; height: 24rem; resize: vertical; border: 1px solid var(--line); background: #fff; color-scheme: light }
.mail-source { max-height: 24lh; overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere }
`)
