// Starts the application: `npm run dev` while you work on it, `npm start` in production.

import { createApp } from './app.ts'
import { Notes } from './notes.ts'

const app = createApp(new Notes('var/notes.db'))
const { HOST = '127.0.0.1', PORT = '8000' } = process.env
console.log(await app.listen({ host: HOST, port: Number(PORT) }))

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void app.close())
