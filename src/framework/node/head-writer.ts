// Writes the heads of answers. Node checks and joins every field of every head anew, which is most of what a small answer with
// ten fields costs. Here the heads that come again and again are kept as they were joined, once Node has checked them twice.

import { Socket } from 'node:net'
import type { ServerResponse } from 'node:http'
import { nodeHttp } from '../http/node-http.ts'
import { statusText } from '../http/status-text.ts'
import { allFields, type ReplyHead } from './reply-head.ts'

/** Heads that are kept at most; the oldest makes room. */
const maxKept = 8
/** Names and values of a head that is kept, at most. */
const maxParts = 40
/** Fields by which Node does more than join them. Those that the host decides are in no reply any more. */
const specialNames: ReadonlySet<string> = new Set(['date', 'expect', 'trailer', 'keep-alive', 'content-disposition'])

interface SentHead {
  readonly status: number
  /** Without the length. */
  readonly fields: readonly string[]
}

interface KeptHead extends SentHead {
  readonly statusMessage: string
  /** Status line and fields, as on the wire. */
  readonly text: string
}

/** Writes heads for one server whose responses nobody else has. */
export class HeadWriter {
  readonly #kept: KeptHead[] = []
  #oldest = 0
  #last: SentHead | undefined
  #canStore: boolean | undefined
  readonly #changing: ReadonlySet<string>

  /** `changing`: names, in lower case, of fields that come last and differ from answer to answer. Default: there are none. */
  constructor(changing: ReadonlySet<string> = new Set()) {
    this.#changing = changing
  }

  /** Writes a head. Throws as `writeHead()` does, for a name or value that cannot be sent. */
  write(response: ServerResponse, head: ReplyHead): void {
    const { status, headers, contentLength } = head
    if (!head.isRepeatable || contentLength === null || !isOrdinary(response)) {
      response.writeHead(status, allFields(head))
      return
    }
    const lasting = this.#lastingParts(headers)
    const kept = this.#find(head, lasting)
    if (kept !== undefined) {
      storeHead(response, kept, linesOf(headers, lasting), contentLength)
      return
    }
    response.writeHead(status, allFields(head))
    if (lasting > maxParts) return
    // Copied: the list of a reply may be changed for the next request.
    const sent = { status, fields: headers.slice(0, lasting) }
    if (this.#last !== undefined && isLike(this.#last, head, lasting)) this.#keep(sent)
    this.#last = sent
  }

  /** How many names and values come before the fields that differ from answer to answer. */
  #lastingParts(headers: readonly string[]): number {
    let count = headers.length
    if (this.#changing.size === 0) return count
    while (count > 0 && this.#changing.has(headers[count - 2] ?? '') && isVisible(headers[count - 1])) count -= 2
    return count
  }

  #find(head: ReplyHead, lasting: number): KeptHead | undefined {
    for (let index = 0; index < this.#kept.length; index += 1) {
      const kept = this.#kept[index] as KeptHead
      if (isLike(kept, head, lasting)) return kept
    }
    return undefined
  }

  #keep({ status, fields }: SentHead): void {
    const statusMessage = nodeHttp.STATUS_CODES[status] ?? 'unknown'
    for (let index = 0; index < fields.length; index += 2) {
      if (specialNames.has((fields[index] ?? '').toLowerCase())) return
    }
    const text = `HTTP/1.1 ${status} ${statusMessage}\r\n${linesOf(fields, 0)}`
    this.#canStore ??= storesAlike()
    if (!this.#canStore) return
    this.#kept[this.#oldest] = { status, fields, statusMessage, text }
    this.#oldest = (this.#oldest + 1) % maxKept
  }
}

/** Whether nobody has prepared the response in another way, and Node has nothing to decide about the connection. */
function isOrdinary(response: ServerResponse): boolean {
  const { req: request } = response
  const isPlain = response.useChunkedEncodingByDefault && request.headers.expect === undefined
  return isPlain && response.statusMessage === undefined && response.getHeaderNames().length === 0
}

/** Whether it is the head of those fields, the first `lasting` parts of which last. */
function isLike({ status, fields }: SentHead, { status: wanted, headers }: ReplyHead, lasting: number): boolean {
  if (status !== wanted || fields.length !== lasting) return false
  for (let index = 0; index < fields.length; index += 1) if (fields[index] !== headers[index]) return false
  return true
}

/** A line for each field from a place of the list on. */
function linesOf(fields: readonly string[], from: number): string {
  let lines = ''
  for (let index = from; index < fields.length; index += 2) lines += `${fields[index]}: ${fields[index + 1]}\r\n`
  return lines
}

/** Whether a value is one that Node sends as it is: the others are left to it. */
function isVisible(value: unknown): boolean {
  return typeof value === 'string' && !notVisible.test(value)
}

const notVisible = /[^\x20-\x7e]/

/** What `writeHead()` calls when it has checked its arguments: it adds fields to the lines, date and connection, and has no public form. */
interface HeadStore {
  _storeHeader(linesSoFar: string, fields: readonly string[]): void
}

function storeHead(
  response: ServerResponse,
  { status, statusMessage, text }: KeptHead,
  moreLines: string,
  length: string,
): void {
  response.statusCode = status
  response.statusMessage = statusMessage
  storeOf(response)._storeHeader(text + moreLines, ['content-length', length])
}

// The types of Node leave out what is not public; whether it is there is what storesAlike() finds out.
function storeOf(response: ServerResponse): HeadStore {
  return response as ServerResponse & HeadStore
}

/** Whether this version of Node makes the same head of joined fields as of single ones. */
function storesAlike(): boolean {
  try {
    const fields = ['content-type', 'text/plain', 'x-a', 'b']
    const text = `HTTP/1.1 404 ${statusText(404)}\r\n${linesOf(fields, 0)}`
    const kept = { status: 404, fields, statusMessage: statusText(404), text }
    const joined = headOf((response) => storeHead(response, kept, '', '5'))
    return joined !== '' && joined === headOf((response) => response.writeHead(404, [...fields, 'content-length', '5']))
  } catch {
    return false
  }
}

/** The text of a head that is written to nobody. */
function headOf(write: (response: ServerResponse) => void): string {
  const socket = new Socket()
  const request = new nodeHttp.IncomingMessage(socket)
  Object.assign(request, { method: 'GET', httpVersionMajor: 1, httpVersionMinor: 1 })
  const response = new nodeHttp.ServerResponse(request)
  response.sendDate = false
  write(response)
  const head: unknown = Reflect.get(response, '_header')
  socket.destroy()
  return typeof head === 'string' ? head : ''
}
