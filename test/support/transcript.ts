// HTTP transcripts of the documentation: what they send, and whether the response is what they show.

import assert from 'node:assert/strict'
import { request, type IncomingMessage } from 'node:http'

/** One request and the response that the page shows. */
export interface Transcript {
  readonly method: string
  readonly target: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string
  readonly response: {
    /** `HTTP/1.1 201 Created` */
    readonly statusLine: string
    readonly headers: readonly (readonly [name: string, value: string])[]
    /** `undefined`: the page shows none. */
    readonly body: string | undefined
  }
}

/** Whether a text is what a pattern shows: `…` is any text within a line, a line that is only `…` is any number of lines, and columns may have another width. */
export function isLike(text: string, pattern: string): boolean {
  const source = pattern
    .trimEnd()
    .split('\n')
    .map((line) =>
      line.trim() === '…'
        ? '(?:[\\s\\S]*?\\n)?'
        : `${line
            .replaceAll(/[^\w\s…]/g, String.raw`\$&`)
            .replaceAll('…', '.*')
            .replaceAll(/ {2,}/g, ' {2,}')}\\n`,
    )
    .join('')
  return new RegExp(`^${source}$`).test(`${text.trimEnd()}\n`)
}

/** Reads a block of transcripts, which a line of `###` separates. */
export function transcriptsOf(code: string, place: string): readonly Transcript[] {
  return code.split(/^###.*\n/m).map((part) => {
    const [asked = '', shown] = part.trim().split(/^(?=HTTP\/1\.1 )/m)
    assert.ok(shown !== undefined, `${place}: a transcript has a request and, below it, a response (HTTP/1.1 200 OK)`)
    const sent = messageOf(asked)
    const [method = '', target = ''] = sent.first.split(' ')
    assert.match(sent.first, /^[A-Z]+ \/\S*$/, `${place}: a request begins with its method and path`)
    const { first, headers, body } = messageOf(shown)
    const response = { statusLine: first.trim(), headers, body: body === '' ? undefined : body }
    return { method, target, headers: sent.headers, body: sent.body, response }
  })
}

function messageOf(text: string): { first: string; headers: [string, string][]; body: string } {
  const [head = '', ...rest] = text.trim().split('\n\n')
  const [first = '', ...lines] = head.split('\n')
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()]
  })
  return { first, headers, body: rest.join('\n\n') }
}

/** What the profiler adds to a page; no transcript shows it. */
const toolbar =
  /<script[^>]*>document\.currentScript[\s\S]*?<\/script>|<fanlight-toolbar[\s\S]*?<\/fanlight-toolbar\s*>\s*<script[\s\S]*?<\/script\s*>/g

/** Sends a transcript to a port of this machine. `cookies` are those that earlier responses set; it adds the new ones. */
export async function replay(transcript: Transcript, port: number, cookies: Map<string, string>): Promise<void> {
  const { method, target, response } = transcript
  const sent: Record<string, string> = { accept: '*/*' }
  for (const [name, value] of transcript.headers) {
    const withCookies = value.replaceAll(/([^\s;=]+)=…/g, (_, cookie: string) => `${cookie}=${cookies.get(cookie)}`)
    sent[name] = name === 'cookie' ? withCookies : value
  }
  const reply = await new Promise<IncomingMessage>((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port, method, path: target, headers: sent, agent: false }, resolve)
    outgoing.on('error', reject).end(transcript.body)
  })
  const body = (await bodyOf(reply, response.body)).replace(toolbar, '')
  const got = `${method} ${target} got\nHTTP/1.1 ${reply.statusCode} ${reply.statusMessage}\n${pairsOf(reply)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')}\n\n${body.slice(0, 4000)}`
  assert.equal(`HTTP/1.1 ${reply.statusCode} ${reply.statusMessage}`.trim(), response.statusLine, got)
  for (const [name, value] of response.headers) {
    const isThere = pairsOf(reply).some(([field, text]) => field === name && isLike(text, value))
    assert.ok(isThere, `there is no "${name}: ${value}"; ${got}`)
  }
  for (const line of reply.headers['set-cookie'] ?? []) {
    const [pair = ''] = line.split(';')
    cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1))
  }
  if (response.body !== undefined) assert.ok(isBodyLike(body, response.body), got)
}

function pairsOf({ rawHeaders }: IncomingMessage): [name: string, value: string][] {
  const pairs: [string, string][] = []
  for (let i = 0; i < rawHeaders.length; i += 2)
    pairs.push([(rawHeaders[i] ?? '').toLowerCase(), rawHeaders[i + 1] ?? ''])
  return pairs
}

/** Reads a body; one whose pattern ends with `…` only until it has what the pattern shows: it may be a stream without an end. */
async function bodyOf(reply: IncomingMessage, pattern: string | undefined): Promise<string> {
  const isOpen = pattern?.trimEnd().endsWith('\n…') === true
  let body = ''
  reply.setEncoding('utf8')
  for await (const chunk of reply) {
    body += String(chunk)
    if (isOpen && isLike(body, pattern)) break
  }
  return body
}

function isBodyLike(body: string, pattern: string): boolean {
  if (isLike(body, pattern)) return true
  try {
    return isDataLike(JSON.parse(body), JSON.parse(pattern))
  } catch {
    return false
  }
}

/** JSON as data. A member `"…": …` of the pattern allows others; `…` in a string is any text. */
function isDataLike(data: unknown, pattern: unknown): boolean {
  if (typeof data === 'string' && typeof pattern === 'string') return isLike(data, pattern)
  if (Array.isArray(data) && Array.isArray(pattern)) {
    return data.length === pattern.length && pattern.every((item, index) => isDataLike(data[index], item))
  }
  if (!isRecord(data) || !isRecord(pattern)) return data === pattern
  const { '…': others, ...members } = pattern
  return (
    Object.entries(members).every(([name, value]) => name in data && isDataLike(data[name], value)) &&
    (others !== undefined || Object.keys(data).every((name) => name in members))
  )
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
