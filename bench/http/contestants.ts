// Who takes part: the file of each server, its environment, and the package it needs.

import { fileURLToPath } from 'node:url'
import { isInstalled } from './is-installed.ts'

/** One server of the bench. */
export interface Contestant {
  readonly name: string
  readonly file: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/** Name of the one that all others are compared with. */
export const baseline = 'node:http'

const recordingOn = { APP_ENV: 'dev', APP_DEBUG: '1' }
const recordingOff = { APP_ENV: 'prod', APP_DEBUG: '0' }

const all: readonly (Contestant & { readonly packages: readonly string[] })[] = [
  server('node:http', 'node-http.mjs'),
  { ...server('node:http, optimized', 'node-http.mjs'), args: ['--optimized'] },
  { ...server('node:http, our error pages', 'node-http.mjs'), args: ['--error-pages'] },
  { ...server('fanlight, off', 'fanlight.ts'), env: { ...recordingOff, APP_STORE: 'sqlite:bench.db' } },
  { ...server('fanlight, on, sqlite', 'fanlight.ts'), env: { ...recordingOn, APP_STORE: 'sqlite:bench.db' } },
  { ...server('fanlight, on, memory', 'fanlight.ts'), env: { ...recordingOn, APP_STORE: 'memory:' } },
  {
    ...server('fanlight, off, without access lines', 'fanlight.ts'),
    env: { ...recordingOff, APP_STORE: 'sqlite:bench.db', APP_ACCESS_LOG: 'off' },
  },
  server('fastify', 'fastify.mjs', 'fastify'),
  { ...server('fastify, logger', 'fastify.mjs', 'fastify'), args: ['--logger'] },
  server('hono', 'hono.mjs', 'hono', '@hono/node-server'),
  server('h3 on srvx', 'h3.mjs', 'h3', 'srvx'),
  server('koa', 'koa.mjs', 'koa', '@koa/router'),
  server('express', 'express.mjs', 'express'),
  { ...server('express, pino-http', 'express.mjs', 'express', 'pino-http'), args: ['--pino-http'] },
]

/** Those that can be measured here, and the names of those whose package is not installed (`npm install --prefix bench`). */
export function findContestants(): { contestants: readonly Contestant[]; absent: readonly string[] } {
  const present = all.filter(({ packages }) => packages.every(isInstalled))
  return { contestants: present, absent: all.filter((one) => !present.includes(one)).map(({ name }) => name) }
}

function server(name: string, file: string, ...packages: string[]): Contestant & { packages: readonly string[] } {
  return { name, file: fileURLToPath(new URL(`servers/${file}`, import.meta.url)), args: [], env: {}, packages }
}
