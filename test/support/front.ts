// The smallest application a host can be given: a function from request to reply, and a list of what became of the answers.

import type { HandledRequest, RequestHandler, Sent } from '../../src/http/node/request-handler.ts'
import { NodeServer, type ListenAddress, type NodeServerOptions } from '../../src/http/node/server.ts'
import type { RequestBody } from '../../src/base/http/body.ts'
import type { Reply } from '../../src/base/http/reply.ts'
import type { HttpRequest } from '../../src/base/http/request.ts'
import { type Awaitable, isPromise } from '../../src/base/members.ts'

/** Answers one request. */
export type Answer = (context: HttpRequest, body: RequestBody) => Awaitable<Reply>

/** An application of one function. */
export class OneFunctionFront implements RequestHandler<HandledRequest> {
  readonly #answer: Answer
  /** The requests, in the order they came. */
  readonly requests: HttpRequest[] = []
  /** What became of the answers, in the order they ended. */
  readonly sent: Sent[] = []

  constructor(answer: Answer) {
    this.#answer = answer
  }

  handle(request: HttpRequest): Awaitable<HandledRequest> {
    this.requests.push(request)
    const reply = this.#answer(request, request.body)
    return isPromise(reply) ? reply.then((made) => ({ reply: made })) : { reply }
  }

  terminate(_answer: HandledRequest, sent: Sent): void {
    this.sent.push(sent)
  }
}

/** A server for an application of one function, listening on a free port; `await using` stops it. */
export interface RunningFront {
  readonly front: OneFunctionFront
  readonly server: NodeServer<HandledRequest>
  readonly address: ListenAddress
  readonly port: number
  [Symbol.asyncDispose](): Promise<void>
}

/** Starts it. */
export async function startFront(answer: Answer, options: NodeServerOptions = {}): Promise<RunningFront> {
  const front = new OneFunctionFront(answer)
  const server = new NodeServer<HandledRequest>(front, { drainMs: 1000, ...options })
  const address = await server.listen({ port: 0 })
  return {
    front,
    server,
    address,
    port: address.port,
    [Symbol.asyncDispose]: async () => {
      await server.close()
    },
  }
}
