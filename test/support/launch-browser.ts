// Starts Debian's Chromium.

import { chromium, type Browser } from 'playwright-core'
import { findProgram } from '../../scripts/test-tools.mjs'

/** Starts a browser; the caller closes it. */
export async function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: findProgram('chromium-headless-shell') ?? findProgram('chromium') ?? '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
}
