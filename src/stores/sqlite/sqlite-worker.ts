// The worker thread: takes requests, runs them on the store, answers in one message per turn. Waiting for the disk to write
// profiles happens here only.

import { performance } from 'node:perf_hooks'
import { parentPort, workerData } from 'node:worker_threads'
import { createAssembler, type Assembler } from '../../profiler/assemble-profile.ts'
import type { RequestRecord } from '../../profiler/request-record.ts'
import type { EncodedProfile } from './profile-columns.ts'
import { ProfileRefusedError } from '../../profiler/profile-store.ts'
import { packError, packReplies, unpackRequests } from './protocol.ts'
import type { Message, Operation, RecordsMessage, Reply, Request } from './protocol.ts'
import { isBusy, toEngineError } from './sqlite-failure.ts'
import { WorkerStore } from './worker-store.ts'
import type { WorkerStoreOptions } from './worker-store.ts'

/** How long a call waits for other processes in all, in milliseconds. */
const patienceMs = 5000

const options = workerData as WorkerStoreOptions
const port = parentPort
if (port === null) throw new Error('This file runs as a worker of the sqlite engine only.')

const store = new WorkerStore(options, (text) => answer({ id: 0, kind: 'warning', text }))
let assembler: Assembler | undefined
let replies: Reply[] = []
let waiting = 0
let closeRequest: Request | undefined

port.on('message', (message: Message | RecordsMessage) => {
  if ('records' in message) takeRecords(message)
  else for (const request of unpackRequests(message)) take(request)
})

/** Makes profiles of records and writes them like any others. */
function takeRecords({ id, records, options: assemblyOptions }: RecordsMessage): void {
  try {
    if (assemblyOptions !== null) assembler = createAssembler(assemblyOptions)
    run(store.prepareWrite(encoded(records, assembler)), id, performance.now() + patienceMs)
  } catch (error) {
    answerFailure(id, error)
  }
}

function* encoded(records: readonly RequestRecord[], tools: Assembler | undefined): Iterable<EncodedProfile> {
  if (tools === undefined) throw new Error('Records arrived before the options to make profiles of them')
  for (const record of records) {
    try {
      const profile = tools.assemble(record)
      yield { profile, json: JSON.stringify(profile) }
    } catch (cause) {
      throw new ProfileRefusedError([record.token], 'no profile can be made of it', { cause })
    }
  }
}

function take(request: Request): void {
  const { operation } = request
  if (operation === 'close') {
    closeRequest = request
    closeWhenIdle()
  } else {
    attempt(operation, request, performance.now() + patienceMs)
  }
}

/** Runs a call. What fails before it reaches the file fails at once. */
function attempt(operation: Operation, { id, texts }: Request, giveUpAt: number): void {
  try {
    run(store.prepare(operation, texts), id, giveUpAt)
  } catch (error) {
    answerFailure(id, error)
  }
}

/** Runs a prepared call; while another process holds the file it is tried again between the others. */
function run(call: () => string | null, id: number, giveUpAt: number): void {
  try {
    answer({ id, kind: 'done', text: call() })
  } catch (error) {
    if (!isBusy(error) || performance.now() > giveUpAt) return answerFailure(id, error)
    waiting++
    setTimeout(
      () => {
        waiting--
        run(call, id, giveUpAt)
        closeWhenIdle()
      },
      5 + Math.random() * 20,
    )
  }
}

function closeWhenIdle(): void {
  if (closeRequest === undefined || waiting > 0) return
  const { id } = closeRequest
  try {
    store.close()
    answer({ id, kind: 'done', text: null })
  } catch (error) {
    answerFailure(id, error)
  }
  setImmediate(() => port?.close())
}

function answerFailure(id: number, error: unknown): void {
  answer({ id, kind: 'failed', text: packError(toEngineError(error, options.name)) })
}

function answer(reply: Reply): void {
  if (replies.push(reply) === 1) setImmediate(send)
}

function send(): void {
  const message = packReplies(replies)
  replies = []
  port?.postMessage(message)
}
