// Which files vitest runs here: none that node:test would take for its own. Whoever runs it says where it may write.

import type { ViteUserConfig } from 'vitest/config'

const config: ViteUserConfig = {
  cacheDir: process.env['VITEST_DIRECTORY'] ?? 'node_modules/.vite',
  test: { include: ['*.vitest.ts'], watch: false, testTimeout: 120_000 },
}

export default config
