// The pages. `html` escapes every value.

import { html, type SafeHtml } from 'fanlight'
import type { Note } from './notes.ts'

export function homePage(notes: readonly Note[], problem?: string): SafeHtml {
  return layout(
    'Notes',
    html`
      <ul>
        ${notes.map((note) => html`<li><a href="/notes/${note.id}">${note.text}</a></li>`)}
      </ul>
      ${problem !== undefined && html`<p role="alert">${problem}</p>`}
      <form method="post" action="/notes">
        <label>New note <input name="text" /></label>
        <button>Add</button>
      </form>
    `,
  )
}

export function notePage(note: Note): SafeHtml {
  return layout(
    `Note ${note.id}`,
    html`
      <p>${note.text}</p>
      <p><a href="/">All notes</a></p>
    `,
  )
}

function layout(title: string, content: SafeHtml): SafeHtml {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>${title}</title>
        <link rel="stylesheet" href="/style.css" />
      </head>
      <body>
        <h1>${title}</h1>
        ${content}
      </body>
    </html>`
}
