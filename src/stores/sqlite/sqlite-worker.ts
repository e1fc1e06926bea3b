// The thread of profiles: makes, compresses and writes them, and waits for the disk in place of the main thread.

import { parentPort, workerData } from 'node:worker_threads'
import { createAssembler, type Assembler } from '../../profiler/assemble-profile.ts'
import { ProfileRefusedError } from '../../profiler/profile-store.ts'
import type { RequestRecord } from '../../profiler/request-record.ts'
import { toRow, type ProfileRow } from './profile-columns.ts'
import { packError, type Call, type Reply, type ThreadData } from './protocol.ts'
import { SqliteFile } from './sqlite-file.ts'
import { toEngineError } from './sqlite-failure.ts'

const { options, replies } = workerData as ThreadData
const port = parentPort
if (port === null) throw new Error('This file runs as a worker of the sqlite engine only.')

const file = new SqliteFile(options, (warning) => reply({ warning }))
let assembler: Assembler | undefined

port.on('message', (call: Call) => void respond(call))

async function respond(call: Call): Promise<void> {
  const { id } = call
  try {
    reply({ id, result: await perform(call) })
  } catch (error) {
    reply({ id, failure: packError(toEngineError(error, options.name)) })
  }
  Atomics.add(replies, 0, 1)
  Atomics.notify(replies, 0)
}

async function perform(call: Call): Promise<unknown> {
  switch (call.name) {
    case 'write':
      return write(call.args[0].map((json) => toRow({ profile: JSON.parse(json) as unknown, json })))
    case 'writeRecords':
      return write(rowsOf(...call.args))
    case 'read':
      return file.run(({ profiles }) => profiles.read(...call.args))
    case 'find':
      return file.run(({ profiles }) => profiles.find(...call.args))
    case 'group':
      return file.run(({ profiles }) => profiles.group(...call.args))
    case 'purge':
      return file.run(({ profiles }) => profiles.purge(...call.args))
    case 'stats':
      return file.run(({ profiles, reopened }) => ({ ...profiles.stats(), reopened }))
    case 'close':
      return file.close()
  }
}

/** Takes finished rows, so that a second attempt on a busy file compresses nothing again. */
function write(rows: readonly ProfileRow[]): Promise<void> {
  return file.run(({ profiles }) => profiles.write(rows))
}

function rowsOf(...[records, given]: Extract<Call, { name: 'writeRecords' }>['args']): readonly ProfileRow[] {
  if (given !== null) assembler = createAssembler(given)
  const tools = assembler
  if (tools === undefined) throw new Error('Records arrived before the options to make profiles of them')
  return records.map((record) => {
    const profile = assemble(record, tools)
    return toRow({ profile, json: JSON.stringify(profile) })
  })
}

function assemble(record: RequestRecord, tools: Assembler): ReturnType<Assembler['assemble']> {
  try {
    return tools.assemble(record)
  } catch (cause) {
    throw new ProfileRefusedError([record.token], 'no profile can be made of it', { cause })
  }
}

function reply(message: Reply): void {
  port?.postMessage(message)
}
