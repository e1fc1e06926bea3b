// Speaks as much of MongoDB's wire protocol as its driver needs to send commands. It is not a database: it stores nothing, and
// its answers are made up here.

import { createServer, type Socket } from 'node:net'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BSON } from 'mongodb'
import { removeDirectory } from './temporary-directory.ts'

/** What is answered to a command; `undefined` is answered with success. */
export type MongoAnswer = (command: Readonly<Record<string, unknown>>) => object | undefined

/** A listening service; `await using` stops it. */
export interface MongoAnswers {
  /** Address for the driver. */
  readonly url: string
  [Symbol.asyncDispose](): Promise<void>
}

/** Starts it on a unix socket. */
export async function startMongoAnswers(answer: MongoAnswer): Promise<MongoAnswers> {
  const folder = mkdtempSync(join(tmpdir(), 'fanlight-mongo-'))
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined)
    readMessages(socket, (id, command) => socket.write(reply(id, { ok: 1, ...(hello(command) ?? answer(command)) })))
  })
  const path = join(folder, 'mongo.sock')
  await new Promise<void>((resolve) => server.listen(path, resolve))
  return {
    url: `mongodb://${encodeURIComponent(path)}/shop`,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
      await removeDirectory(folder)
    },
  }
}

function readMessages(socket: Socket, read: (id: number, command: Readonly<Record<string, unknown>>) => void): void {
  let pending = Buffer.alloc(0)
  socket.on('data', (chunk: Buffer) => {
    pending = Buffer.concat([pending, chunk])
    while (pending.length >= 16 && pending.length >= pending.readInt32LE(0)) {
      const message = pending.subarray(0, pending.readInt32LE(0))
      pending = pending.subarray(message.length)
      read(message.readInt32LE(4), commandOf(message))
    }
  })
}

const queryCode = 2004
const messageCode = 2013

/** The document of the first section: the command, without lists of documents that may follow. */
function commandOf(message: Buffer): Readonly<Record<string, unknown>> {
  const code = message.readInt32LE(12)
  if (code === messageCode) return BSON.deserialize(message.subarray(21, 21 + message.readInt32LE(21)))
  if (code !== queryCode) throw new Error(`a message of the kind ${code} is not understood`)
  const start = message.indexOf(0, 20) + 9
  return BSON.deserialize(message.subarray(start, start + message.readInt32LE(start)))
}

/** A driver that has not said which protocol it speaks is answered in the old one, which it asks in. */
function reply(to: number, document: object): Buffer {
  const body = BSON.serialize(document)
  const isFirst = 'helloOk' in document
  const head = Buffer.alloc(isFirst ? 36 : 21)
  head.writeInt32LE(head.length + body.length, 0)
  head.writeInt32LE(to, 8)
  head.writeInt32LE(isFirst ? 1 : messageCode, 12)
  if (isFirst) head.writeInt32LE(1, 32)
  return Buffer.concat([head, body])
}

function hello(command: Readonly<Record<string, unknown>>): object | undefined {
  if (!('hello' in command || 'isMaster' in command || 'ismaster' in command)) return undefined
  const limits = { maxBsonObjectSize: 16_777_216, maxMessageSizeBytes: 48_000_000, maxWriteBatchSize: 100_000 }
  const isOld = !('$db' in command) || 'isMaster' in command || 'ismaster' in command
  return {
    ...limits,
    isWritablePrimary: true,
    minWireVersion: 0,
    maxWireVersion: 21,
    ...(isOld ? { helloOk: true } : {}),
  }
}
