// A redirect on the way to a request: what leads from the page that a client arrives at to the profile that sent it there.

/** A request that was answered with a redirect. */
export interface RedirectStep {
  readonly token: string
  readonly method: string
  readonly status: number
}

/** Under what the redirects that led to a request are kept on its recording, oldest first; nothing is kept where there are none. */
export const redirectsName = 'redirects'
