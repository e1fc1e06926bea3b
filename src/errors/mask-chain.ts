// The form of an error chain that leaves the answer to the client that caused it: for the log, the profile and the
// store. Messages may hold what the client sent (SPEC 2.2), so they are masked; properties and source were masked when
// they were read.

import type { ErrorRedactor } from './error-redactor.ts'
import type { ErrorView } from './error-view.ts'
import type { ErrorChain, FlattenedError } from './flattened-error.ts'

/** The chain with secrets masked in every message and property. Source and frames stay as they are. */
export function maskChain(chain: ErrorChain, redactor: Pick<ErrorRedactor, 'text'>): ErrorChain {
  return { errors: chain.errors.map((error) => maskError(error, redactor)), cut: chain.cut }
}

/** The view as it may be kept or copied: URL and messages masked. `chain` is its chain, masked before. */
export function maskView(
  view: ErrorView,
  redactor: Pick<ErrorRedactor, 'text' | 'url'>,
  chain: ErrorChain = maskChain(view.chain, redactor),
): ErrorView {
  return { ...view, url: redactor.url(view.url), chain }
}

function maskError(error: FlattenedError, redactor: Pick<ErrorRedactor, 'text'>): FlattenedError {
  return {
    ...error,
    message: redactor.text(error.message),
    properties: error.properties.map(({ name, value }) => ({ name, value: redactor.text(value) })),
    members: error.members.map((member) => maskChain(member, redactor)),
  }
}
