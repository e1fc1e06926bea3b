// Vite's development server in front of the application: what is not Vite's own goes there, the profiler too.

import type { UserConfig } from 'vite'

const application = { target: `http://127.0.0.1:${process.env['PORT'] ?? 3000}` }

const config: UserConfig = {
  server: {
    port: Number(process.env['VITE_PORT'] ?? 5173),
    strictPort: true,
    proxy: { '^/(?!@|src/|node_modules/)': application },
  },
}

export default config
