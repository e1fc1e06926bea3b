// An application that touches a secret in every way an ordinary one does: binds it to SQL, takes it as a file, a parameter of
// a route, a property of an error, a variable of the environment. Run directly, it is a separate process.

import { DatabaseSync } from 'node:sqlite'
import { observeSqlite } from '../../src/capture.ts'
import { createApp, HttpError, json, run, RouteCollection, type App, type RuntimeContext } from '../../src/index.ts'

/** What each secret contains, and where it is put. A test sends them; the last one the application has of itself. */
export const canaries = {
  sqlParameter: 'zqcanary-sql-parameter',
  sqlLiteral: 'zqcanary-sql-literal',
  sqlFailure: 'zqcanary-sql-failure',
  fileName: 'zqcanary-file-name',
  fileContent: 'zqcanary-file-content',
  formField: 'zqcanary-form-field',
  routeParameter: 'zqcanary-route-parameter',
  errorProperty: 'zqcanary-error-property',
  errorCause: 'zqcanary-error-cause',
  logContext: 'zqcanary-log-context',
  localVariable: 'zqcanary-local-variable',
  environment: 'zqcanary-environment',
} as const

/** The body says under other names what the application then does with secrets. */
const plain = { captureBody: false }

/** Its routes. */
export function canaryRoutes(): RouteCollection {
  const database = observeSqlite(new DatabaseSync(':memory:'))
  database.exec('CREATE TABLE person (name TEXT UNIQUE, password TEXT)')
  const routes = new RouteCollection()
  routes.post(
    'sql',
    '/sql',
    async ({ request: { body } }) => {
      const { parameter, literal, failure } = (await body.json()) as Readonly<Record<string, string>>
      database.prepare('INSERT OR REPLACE INTO person VALUES (?, ?)').run('ann', parameter ?? '')
      database.prepare(`SELECT * FROM person WHERE password = '${literal}'`).all()
      database
        .prepare('INSERT OR IGNORE INTO person VALUES (:name, :password)')
        .run({ name: 'bob', password: failure ?? '' })
      // A name that is taken: the error comes with its statement.
      database.prepare('INSERT INTO person VALUES (?, ?)').run('ann', failure ?? '')
      return json({ done: true })
    },
    plain,
  )
  routes.post('upload', '/upload', async ({ request }) => {
    const form = await request.toFetch().formData()
    return json({ fields: [...form.keys()].length })
  })
  routes.post('upload_as_form', '/upload-as-form', async ({ request: { body } }) =>
    json([...(await body.form()).keys()].length),
  )
  routes.get('reset', '/reset/{token}/{password}', () => {
    throw new HttpError(422, 'this link cannot be used')
  })
  routes.post(
    'fail',
    '/fail',
    async ({ request: { body }, log }) => {
      const { property, cause, context, local } = (await body.json()) as Readonly<Record<string, string>>
      const kept = `${local}`
      log.error('Payment of {person} failed.', { person: 'ann', card: { cvv: context } })
      throw Object.assign(
        new Error('payment failed', { cause: Object.assign(new Error('declined'), { secret: cause }) }),
        {
          credentials: { user: 'ann', value: property },
          length: kept.length,
        },
      )
    },
    plain,
  )
  return routes
}

/** The application. */
export const canary = (context: RuntimeContext): Promise<App> => createApp({ context, routes: canaryRoutes() })

if (import.meta.main) await run(canary)
