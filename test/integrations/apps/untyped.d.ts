// The parts that the applications use of packages without types.

declare module 'compression' {
  import type { RequestHandler } from 'express'
  export default function compression(options?: { threshold?: number }): RequestHandler
}
declare module 'cors' {
  import type { RequestHandler } from 'express'
  export default function cors(options?: { origin?: string }): RequestHandler
}
declare module 'morgan' {
  import type { RequestHandler } from 'express'
  export default function morgan(format: string, options: { stream: { write(line: string): void } }): RequestHandler
}
declare module 'multer' {
  import type { RequestHandler } from 'express'
  export default function multer(): { single(field: string): RequestHandler }
}
declare module 'connect-flash' {
  import type { RequestHandler } from 'express'
  export default function flash(): RequestHandler
}
declare module 'passport' {
  import type { RequestHandler } from 'express'
  interface Passport {
    use(strategy: object): void
    initialize(): RequestHandler
    session(): RequestHandler
    authenticate(name: string): RequestHandler
    serializeUser(work: (user: { name: string }, done: (error: null, id: string) => void) => void): void
    deserializeUser(work: (id: string, done: (error: null, user: { name: string }) => void) => void): void
  }
  const passport: { Passport: new () => Passport }
  export default passport
}
declare module 'passport-local' {
  type Done = (error: Error | null, user: { name: string } | false) => void
  export const Strategy: new (verify: (name: string, password: string, done: Done) => void) => object
}
declare module 'koa-bodyparser' {
  import type { Middleware } from 'koa'
  export default function bodyParser(options?: { jsonLimit?: string }): Middleware
}
declare module 'supertest' {
  interface Answer {
    status: number
    headers: Record<string, string>
    text: string
  }
  export default function request(target: unknown): { get(path: string): PromiseLike<Answer> }
}
