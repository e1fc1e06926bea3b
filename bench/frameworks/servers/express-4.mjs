import { createRequire } from 'node:module'
import { serve } from './express-routes.mjs'

serve(createRequire(new URL('../../../test/integrations/older/package.json', import.meta.url))('express'))
