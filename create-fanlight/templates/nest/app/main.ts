// Starts the application: `npm run dev` while you work on it, `npm start` in production.

import { createApp } from './app.ts'
import { Notes } from './notes.ts'

const app = await createApp(new Notes('var/notes.db'))
app.enableShutdownHooks()
await app.listen(Number(process.env['PORT'] ?? '8000'), process.env['HOST'] ?? '127.0.0.1')
console.log(await app.getUrl())
