// Starts the application: `npm run dev` while you work on it, `npm start` in production.

import { createApp } from './app.ts'
import { Notes } from './notes.ts'

const notes = new Notes('var/notes.db')
const { HOST = '127.0.0.1', PORT = '8000' } = process.env
const server = createApp(notes).listen(Number(PORT), HOST, (error) => {
  if (error) throw error
  const address = server.address()
  if (address !== null && typeof address === 'object') console.log(`http://${HOST}:${address.port}`)
})

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => server.close(() => notes.close()))
