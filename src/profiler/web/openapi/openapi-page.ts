// `/_profiler/openapi.json`: what each JSON address takes and sends. As a page, the addresses at a glance.

import { codeSpan } from '../../../errors/markdown-text.ts'
import { dataTable } from '../../../framework/html/components.ts'
import { html, type SafeHtml } from '../../../framework/html/html.ts'
import { styleSheet } from '../../../framework/html/style-sheet.ts'
import type { ProfilerPage } from '../profiler-page.ts'
import type { OpenApiDocument } from './openapi-document.ts'

/** The document is loaded at first use. */
export const openApiPage: ProfilerPage<OpenApiDocument> = async (_exchange, { options, panels }) => {
  const { profilerPath } = options
  const { openApiDocument } = await import('./document.ts')
  const document = openApiDocument(profilerPath, panels)
  const addresses = addressesOf(document)
  return {
    html: () => ({
      title: 'JSON addresses',
      content: html`<p>
          Responses are described by an <a href="${profilerPath}/openapi.json">OpenAPI 3.1 document</a>. The same
          addresses with <code>.md</code> give Markdown.
        </p>
        ${dataTable(
          'json-addresses',
          'Addresses with JSON',
          ['Address', 'Use'],
          addresses.map(
            ({ method, path, summary }) =>
              html`<tr>
                <th scope="row" class="mono">${method} ${path}</th>
                <td>${summary}</td>
              </tr> `,
          ),
        )}`,
      styles: [addressStyles],
    }),
    json: () => document,
    markdown: () =>
      `# JSON addresses\n\n${addresses.map(({ method, path, summary }) => `- ${codeSpan(`${method} ${path}`)}: ${summary}`).join('\n')}\n\nSchemas: ${codeSpan(`${profilerPath}/openapi.json`)}\n`,
  }
}

const addressStyles: SafeHtml = styleSheet(`
.json-addresses { margin-top: var(--space-3) }
.json-addresses tbody th { font-weight: 400; overflow-wrap: anywhere }
@media (max-width: 40rem) {
  .json-addresses thead { display: none }
  .json-addresses :is(tbody, tr, th, td) { display: block }
  .json-addresses tr { padding: var(--space-2) 0; border-top: 1px solid var(--line) }
  .json-addresses :is(th, td) { border: 0 !important; padding-block: 0 }
}
`)

interface DescribedAddress {
  readonly method: string
  readonly path: string
  readonly summary: string
}

function addressesOf({ paths }: OpenApiDocument): readonly DescribedAddress[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { summary }]) => ({ method: method.toUpperCase(), path, summary })),
  )
}
