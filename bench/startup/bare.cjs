// The same without Node's fetch client, which an `import` of node:http loads: what a process with a server costs at the least.

const { createServer } = require('node:http')

createServer((_request, response) => response.end('ok')).listen(Number(process.env.PORT), '127.0.0.1')
