// Who may open a profile (SECURITY section 2): this machine, a peer that was named, or a client with the key, asking for an allowed host, not on
// behalf of another site. Decided from the request as sent, before any work is done.

import { isIP } from 'node:net'
import type { HttpRequest } from '../base/http/request.ts'
import { canonicalAddress, type TrustedProxies } from '../base/http/trusted-proxies.ts'
import type { AccessKey } from './access-key.ts'

export interface AccessRules {
  /** Host names without port; `*.example.org` means all names below it. */
  readonly allowedHosts: readonly string[]
  /** What to set for another one: `APP_ALLOWED_HOSTS`. */
  readonly hostSetting: string
  /** Networks whose clients count as this machine. Default: none. */
  readonly allowedPeers?: Pick<TrustedProxies, 'isTrusted'>
  /** Lets clients in wherever they are. Default: none. */
  readonly key?: Pick<AccessKey, 'isHeldBy'> | undefined
  /** Whether this machine needs the key, too. Default: no. */
  readonly needsKey?: boolean
}

/** Why a request is refused; `null` when it is let in. The reason is for the log: the refused client gets a constant page. */
export function refusal(context: HttpRequest, rules: AccessRules): string | null {
  return (rules.key?.isHeldBy(context) === true ? null : withoutKey(context, rules)) ?? fromElsewhere(context, rules)
}

function withoutKey(context: HttpRequest, rules: AccessRules): string | null {
  if (rules.needsKey === true) return 'the key is missing'
  return notNear(context, (address) => isLoopback(address) || rules.allowedPeers?.isTrusted(address) === true)
}

function notNear(context: HttpRequest, isNear: (address: string) => boolean): string | null {
  if (!isNear(context.peerAddress)) return 'the peer is not this machine'
  // A proxy on this machine lets the world in; whom it speaks for decides, if it can be believed.
  if (!isNear(context.clientAddress)) return 'the client behind the proxy is not this machine'
  if (context.hasTrustedPeer) return null
  if (context.rawHeaders.some((name, index) => index % 2 === 0 && isForwarding(name))) {
    return 'a proxy that is not trusted forwarded the request'
  }
  return context.httpVersion === '1.0' ? 'the request speaks HTTP/1.0, as proxies do' : null
}

const forwardingFields: ReadonlySet<string> = new Set(
  (
    'via front-end-https surrogate-capability x-host x-ms-proxy x-real-port x-remote-port x-client-port ' +
    'x-request-start x-scheme x-url-scheme x-cloud-trace-context x-edge-client x-fd-healthprobe rndr-id ' +
    'bypass-tunnel-reminder disguised-host client-ip proxy-connection x-real-host x-origin-host x-host-override'
  ).split(' '),
)

// What Cloudflare, Fastly, Fly, Google, Amazon, Akamai, Azure, Envoy, IIS, ngrok, Tailscale and others call their fields.
const forwardingBeginnings =
  /^(?:akamai|ali-cdn|cdn|cf|cloudfront|fastly|fly|ngrok|tailscale|(?:[xz]-)?forwarded|x-(?:akamai|amz-cf|amzn|appengine|arr|auth-request|azure|bluecoat|envoy|goog-(?:authenticated|iap)|haproxy|http-host|istio|kong|localtunnel|nf|nginx|original-(?:forwarded|host|proto|scheme)|proto|proxied|proxy|railway|render|replit|sucuri|traefik|tunnel|varnish|vercel|waws))(?:-|$)/

// `True-Client-IP`, `DO-Connecting-IP`, `X-Appengine-User-IP`, `X-ProxyUser-Ip`, `X-Remote-Addr`.
const addressOfClient =
  /(?:client|connecting|edge|external|originating|peer|real|remote|socket|source|user|viewer|visitor)-?(?:ip|addr|address)$/

function isForwarding(name: string): boolean {
  const lower = name.toLowerCase().replaceAll('_', '-')
  return forwardingFields.has(lower) || forwardingBeginnings.test(lower) || addressOfClient.test(lower)
}

/**
 * Why a request that hands something in is refused; `null` when it is taken. It needs what every other one needs, but a page of any host of ours
 * may send it, whatever its port: development servers and services of this machine.
 */
export function handInRefusal(context: HttpRequest, rules: AccessRules): string | null {
  const near = rules.key?.isHeldBy(context) === true ? null : withoutKey(context, rules)
  if (near !== null) return near
  if (!isAllowedHost(context.host, rules)) return `the host is not in ${rules.hostSetting}`
  const isOurs = (origin: string): boolean => URL.canParse(origin) && isAllowedHost(new URL(origin).hostname, rules)
  return context.headerValues('origin').every(isOurs) ? null : 'the origin is another one'
}

function isAllowedHost(host: string, { allowedHosts }: Pick<AccessRules, 'allowedHosts'>): boolean {
  return allowedHosts.some((allowed) =>
    allowed.startsWith('*.') ? host.endsWith(allowed.slice(1)) && host.length >= allowed.length : host === allowed,
  )
}

/** Why a request is refused for its host, or for the site that sends it. */
export function fromElsewhere(
  context: HttpRequest,
  rules: Pick<AccessRules, 'allowedHosts' | 'hostSetting'>,
): string | null {
  if (!isAllowedHost(context.host, rules)) return `the host is not in ${rules.hostSetting}`
  if (isCrossSite(context)) return 'another site asks'
  if (hasOtherOrigin(context)) return 'the origin is another one'
  return null
}

/**
 * Why a request may not start work on this machine, `null` if it may: it must come from this machine itself, whatever the rules let in,
 * and from a page of ours, as its browser says.
 */
export function notFromHere(context: HttpRequest): string | null {
  const elsewhere = notNear(context, isLoopback) ?? notFromOwnPage(context)
  return elsewhere ?? (context.header('sec-fetch-site') === undefined ? 'another site asks' : null)
}

/** Whether a request comes from this machine itself, whatever the rules and the key let in. */
export function isFromHere(context: HttpRequest): boolean {
  return notNear(context, isLoopback) === null
}

/**
 * Why a request does not come from a page of this origin, `null` if it does. Browsers say `Sec-Fetch-Site` to this machine and over TLS
 * only, and send `Origin` with every POST.
 */
export function notFromOwnPage(context: HttpRequest): string | null {
  const [origin, ...more] = context.headerValues('origin')
  if (origin === undefined || more.length > 0 || hasOtherOrigin(context)) return 'the origin is another one'
  return (context.header('sec-fetch-site') ?? 'same-origin') === 'same-origin' ? null : 'another site asks'
}

function isLoopback(address: string): boolean {
  const canonical = canonicalAddress(address)
  if (canonical === null) return false
  return isIP(canonical) === 4 ? canonical.startsWith('127.') : canonical === '::1'
}

// A link on another page may lead here (a top-level navigation), but nothing of another page may fetch or embed us. A field
// that is there twice is not what a browser sends.
function isCrossSite(context: HttpRequest): boolean {
  const [site, ...more] = context.headerValues('sec-fetch-site')
  if (more.length > 0) return true
  if (site === undefined || site === 'none' || site === 'same-origin' || site === 'same-site') return false
  return !(
    site === 'cross-site' &&
    context.header('sec-fetch-mode') === 'navigate' &&
    context.header('sec-fetch-dest') === 'document'
  )
}

function hasOtherOrigin(context: HttpRequest): boolean {
  const own = `${context.scheme}://${context.authority}`.toLowerCase()
  // A form on one of our pages sends `null`, because our pages send no referrer; its browser says where the form is.
  const isForm = context.header('sec-fetch-site') === 'same-origin'
  return context.headerValues('origin').some((origin) => origin.toLowerCase() !== own && !(isForm && origin === 'null'))
}
