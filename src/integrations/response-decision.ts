// What becomes of the response of a framework: a pure decision.

/** What the decision looks at. */
export interface ResponseFacts {
  readonly status: number
  readonly isHead: boolean
  /** Whether the client may see what the profiler sees. */
  readonly isAdmitted: boolean
  /** The page that the client names and prefers: `*` names none. */
  readonly names: 'html' | 'markdown' | null
  /** Whether the client loads a document, as far as is known. */
  readonly asksForPage: boolean
  /** Whether the response is a whole HTML page whose bytes may change. */
  readonly isPage: boolean
  /** Whether an error is known. */
  readonly hasFailed: boolean
  /** Whether the framework responds, and not the application. */
  readonly isDefault: boolean
  readonly errorPage: 'framework' | 'browser' | false
}

/** `page`: the error page takes its place. */
export type ResponseDecision = 'as it is' | 'toolbar' | 'page'

export function decideResponse(facts: ResponseFacts): ResponseDecision {
  if (!facts.isAdmitted) return 'as it is'
  if (isReplaced(facts)) return 'page'
  // Who does not name HTML gets what the application sends in production: Express marks plain text as HTML, and tests compare it.
  const isNamed = facts.asksForPage && facts.names === 'html'
  // The page of a redirect is seen by nobody.
  const isSeen = !facts.isHead && (facts.status < 300 || facts.status >= 400)
  return facts.isPage && isNamed && isSeen ? 'toolbar' : 'as it is'
}

function isReplaced({ status, names, hasFailed, isDefault, errorPage }: ResponseFacts): boolean {
  if (errorPage === false || status < 400 || names === null || !hasFailed) return false
  return isDefault || (errorPage === 'browser' && status >= 500 && names === 'html')
}
