// Node's HTTP module. An import of its values would read all of them, and one loads undici: 35 ms of every start.

import type Http from 'node:http'

export const http: typeof Http = process.getBuiltinModule('node:http')
