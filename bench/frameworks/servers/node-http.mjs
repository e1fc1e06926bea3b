import { answer, attach, listen, page } from './shared.mjs'

const server = listen((request, response) => {
  const json = /^\/json\/(\w+)$/.exec(request.url)
  if (json !== null) {
    const body = JSON.stringify(answer(json[1]))
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body)
  } else if (request.url === '/page') {
    response.writeHead(200, { 'content-type': 'text/html', 'content-length': page.length }).end(page)
  } else {
    response.writeHead(404).end('Not found')
  }
})
attach(server)
