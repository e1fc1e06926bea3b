// Bare node:http as people write it: looks at method and URL, writes a prebuilt body. `--optimized` adds the one option of
// Node that spares requests without a body their stream. `--error-pages` sends this library's pages where there is no route, in
// place of nine bytes.

import { createServer } from 'node:http'
import { orderAnswer, pageBody, postBody, statusBody } from '../table.ts'
import { errorPage } from './error-page.ts'
import { listening } from './listening.ts'

const status = JSON.stringify(statusBody)
const statusLength = Buffer.byteLength(status)
const pageLength = Buffer.byteLength(pageBody)
const postPath = /^\/users\/([^/]+)\/posts\/([^/]+)$/
const jsonType = 'application/json; charset=utf-8'

const options = process.argv.includes('--optimized') ? { optimizeEmptyRequests: true } : {}
const textPage = (text, further = {}) => ({
  fields: { 'content-type': 'text/plain; charset=utf-8', 'content-length': text.length, ...further },
  body: text,
})
const allow = { allow: 'GET, HEAD' }
const sendsPages = process.argv.includes('--error-pages')
const notFound = sendsPages ? errorPage(404) : textPage('Not Found')
const notAllowed = sendsPages ? errorPage(405, allow) : textPage('Method Not Allowed', allow)
const server = createServer(options, (request, response) => {
  const { method, url } = request
  if (url === '/api/status') {
    if (method !== 'GET' && method !== 'HEAD') {
      response.writeHead(405, notAllowed.fields)
      response.end(notAllowed.body)
      return
    }
    response.writeHead(200, { 'content-type': jsonType, 'content-length': statusLength })
    response.end(status)
    return
  }
  if (url === '/page' && method === 'GET') {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'content-length': pageLength })
    response.end(pageBody)
    return
  }
  if (url === '/api/orders' && method === 'POST') {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => answerJson(response, orderAnswer(JSON.parse(body))))
    return
  }
  const post = postPath.exec(url)
  if (post !== null && method === 'GET') {
    answerJson(response, postBody(post[1], post[2]))
    return
  }
  response.writeHead(404, notFound.fields)
  response.end(notFound.body)
})

function answerJson(response, value) {
  const body = JSON.stringify(value)
  response.writeHead(200, { 'content-type': jsonType, 'content-length': Buffer.byteLength(body) })
  response.end(body)
}

server.listen(0, '127.0.0.1', () => listening(server.address().port))
