// The public entry `fanlight/env`: imported before a module that reads `process.env` as it loads, it sets what the `.env` files say.

import { fillFromEnvFiles } from './http/config/folder-files.ts'

fillFromEnvFiles(process.cwd(), process.env)
