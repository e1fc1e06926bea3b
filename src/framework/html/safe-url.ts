// Decides which addresses may stand in a link. Everything that could run a script or leave the host unseen becomes `#`.

// Browsers drop tabs and line breaks inside an address and spaces around it before they read its scheme.
// oxlint-disable-next-line no-control-regex
const hiddenCharacter = /[\u0000-\u001f\u007f]/
const scheme = /^([a-z][a-z0-9+.-]*):/i
const webScheme = /^https?:\/\/[^/\\]/i
const otherHost = /^[/\\]{2}/

/**
 * The address itself when it is `http://…`, `https://…` or relative (`/a`, `a`, `?b`, `#c`); otherwise `#`. Also `#`:
 * addresses without scheme that name a host (`//host`, `/\host`), and those with control characters.
 */
export function safeUrl(url: string): string {
  const address = url.trim()
  if (hiddenCharacter.test(address) || otherHost.test(address)) return '#'
  return !scheme.test(address) || webScheme.test(address) ? address : '#'
}
