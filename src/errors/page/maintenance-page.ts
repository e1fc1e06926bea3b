// The page that answers while the application is locked and has no page of its own to show. Constant bytes: nothing of the
// request is in it.

import { html } from '../../framework/html/html.ts'
import { renderQuietPage } from './quiet-page.ts'

/** The built-in maintenance page, whole. Its policy is `quietPagePolicy`. */
export const builtInMaintenancePage: string = renderQuietPage(
  'Maintenance',
  html`<h1>We will be back soon</h1>
    <p>This service is being maintained right now. Please try again in a few minutes.</p>`,
).toString()
