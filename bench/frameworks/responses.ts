// Whether two servers send the same bytes.

import { connect, type Socket } from 'node:net'

const requests: Readonly<Record<string, string>> = {
  'GET /json/7': 'GET /json/7 HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: */*\r\nConnection: close\r\n\r\n',
  'HEAD /page': 'HEAD /page HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n',
  'GET /page': 'GET /page HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/html\r\nConnection: close\r\n\r\n',
  'GET /nothing': 'GET /nothing HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/html\r\nConnection: close\r\n\r\n',
  'GET /_profiler/': 'GET /_profiler/ HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/html\r\nConnection: close\r\n\r\n',
}

/** Names of the requests whose responses differ in more than their date. */
export async function differences(one: string, other: string): Promise<readonly string[]> {
  const found: string[] = []
  for (const [name, bytes] of Object.entries(requests)) {
    const [first, second] = await Promise.all([exchange(one, bytes), exchange(other, bytes)])
    if (first !== second) found.push(`${name} differs`)
  }
  return found
}

/** A response to a browser that says nothing of documents, as it is on the wire. */
export function text(url: string, accept: string): Promise<string> {
  const { pathname, host } = new URL(url)
  const fields = `Host: ${host}\r\nUser-Agent: Mozilla/5.0\r\nAccept: ${accept}\r\nConnection: close`
  return exchange(url, `GET ${pathname} HTTP/1.1\r\n${fields}\r\n\r\n`)
}

function exchange(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    let received = ''
    connect({ host: hostname, port: Number(port) }, function send(this: Socket) {
      this.write(bytes)
    })
      .setEncoding('latin1')
      .on('data', (chunk) => (received += String(chunk)))
      .on('error', reject)
      .on('close', () => resolve(received.replace(/\r\ndate: [^\r]+/i, '')))
  })
}
