// Reads a method and a URL that a person typed as the request that a client would send.

import { METHODS } from 'node:http'
import { readHost, readTarget } from '../framework/node/read-request.ts'
import { HttpRequest } from '../framework/http/request.ts'
import { nearWords } from '../framework/routing/edit-distance.ts'
import type { RouteTrialProblem, TrialBase } from './query/route-table.ts'

const maxLength = 8192

/** The request, or one sentence that says what is wrong and what is allowed. Paths stay as typed, but for what no client sends as it is. */
export function readRequestToTry(method: string, url: string, base: TrialBase): HttpRequest | RouteTrialProblem {
  const sentMethod = method.trim().toUpperCase()
  if (!METHODS.includes(sentMethod)) return { problem: methodProblem(method) }
  const target = encodeForSending(withoutFragment(url.trim()))
  if (target.length > maxLength) return { problem: `The URL is longer than ${maxLength} characters.` }
  const parts = readTarget(target)
  if (parts === null || (parts.path === '*' && sentMethod !== 'OPTIONS')) return { problem: urlProblem(url) }
  const place = parts.authority === null ? base : readPlace(target, parts.authority)
  if (place === null) return { problem: urlProblem(url) }
  const { path, query } = parts
  const { scheme, host, port } = place
  const facts = {
    method: sentMethod,
    target,
    path,
    query,
    scheme,
    host,
    port,
    peerAddress: '127.0.0.1',
    clientAddress: '127.0.0.1',
  }
  const { authority } = new HttpRequest({ ...facts, rawHeaders: [] })
  return new HttpRequest({ ...facts, rawHeaders: ['Host', authority] })
}

function readPlace(target: string, authority: string): TrialBase | null {
  const scheme = target.slice(0, 6).toLowerCase() === 'https:' ? 'https' : 'http'
  const read = readHost(authority)
  return read === null ? null : { scheme, host: read.host, port: read.port ?? (scheme === 'https' ? 443 : 80) }
}

/** What stands behind `#` stays with the client. */
function withoutFragment(url: string): string {
  const hash = url.indexOf('#')
  return hash < 0 ? url : url.slice(0, hash)
}

/** Blanks, controls and letters outside ASCII leave a client percent-encoded. */
function encodeForSending(url: string): string {
  return url.replaceAll(/[^\x21-\x7e]+/g, (part) => encodeURIComponent(part.toWellFormed()))
}

function methodProblem(method: string): string {
  const near = nearWords(method.trim(), METHODS, 1)
  const advice = near.length === 0 ? '' : ` Did you mean ${near[0]}?`
  return `${quoted(method)} is no method of HTTP; allowed are GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS and their like.${advice}`
}

function urlProblem(url: string): string {
  return `${quoted(url)} is no URL to try; allowed is http://host/path, https://host/path or a path that starts with a slash.`
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text)
}
