// Lines that wait for company: what ends the wait, and that nothing is lost at the end.

import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { Writable } from 'node:stream'
import { describe, it } from 'node:test'
import { createProcessLog } from '../../../src/framework/log/process-log.ts'
import { until } from '../../support/until.ts'

class Chunks extends Writable {
  readonly chunks: string[] = []
  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    this.chunks.push(chunk.toString('utf8'))
    done()
  }
}

const line = (level: 'info' | 'warn', message: string) => ({ level, channel: 'app', message, context: {} }) as const

describe('LineBatch', () => {
  it('writes the lines of a moment as one piece, in their order', async () => {
    const destination = new Chunks()
    const log = createProcessLog({ destination, batchMs: 5 })
    log.write(line('info', 'one'))
    log.write(line('info', 'two'))
    assert.deepEqual(destination.chunks, [])
    await until(() => destination.chunks.length > 0)
    assert.match(destination.chunks.join('|'), /^[^|]*"one"[^|]*\n[^|]*"two"[^|]*\n$/)
    await log.close()
  })

  it('lets a warning wait for nothing, and takes the lines before it along', async () => {
    const destination = new Chunks()
    const log = createProcessLog({ destination, batchMs: 60_000 })
    log.write(line('info', 'before'))
    log.write(line('warn', 'now'))
    assert.equal(destination.chunks.join('').trim().split('\n').length, 2)
    await log.close()
  })

  it('writes what waits when it is flushed or closed, and gathers nothing afterwards', async () => {
    const destination = new Chunks()
    const log = createProcessLog({ destination, batchMs: 60_000 })
    log.write(line('info', 'one'))
    await log.flush()
    log.write(line('info', 'two'))
    await log.close()
    log.write(line('info', 'three'))
    assert.deepEqual(
      destination.chunks.map((chunk) => (JSON.parse(chunk) as { msg: string }).msg),
      ['one', 'two', 'three'],
    )
  })

  it('writes ordinary lines at the end of the turn without a delay, and before any other line', async () => {
    const destination = new Chunks()
    const log = createProcessLog({ destination })
    log.writeSoon(line('warn', 'one'))
    log.writeSoon(line('warn', 'two'))
    assert.deepEqual(destination.chunks, [])
    await new Promise(setImmediate)
    assert.equal(destination.chunks.length, 1)
    log.writeSoon(line('warn', 'three'))
    log.write(line('info', 'four'))
    assert.match(destination.chunks.join(''), /"one"[^]*"two"[^]*"three"[^]*"four"/)
    await log.close()
    log.writeSoon(line('warn', 'five'))
    assert.match(destination.chunks.at(-1) ?? '', /"five"/)
  })

  it('writes an ordinary line when the process ends in the same turn', () => {
    const url = new URL('../../../src/framework/log/process-log.ts', import.meta.url).href
    const code = `import { createProcessLog } from ${JSON.stringify(url)}
      createProcessLog().writeSoon({ level: 'warn', channel: 'app', message: 'last words', context: {} })
      process.exit(3)`
    const { status, stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' })
    assert.equal(status, 3)
    assert.match(stdout, /"last words"/)
  })

  it('counts every line of a piece that is lost', async () => {
    const destination = new Chunks()
    const log = createProcessLog({ destination, batchMs: 60_000 })
    log.write(line('info', 'one'))
    log.write(line('info', 'two'))
    destination.destroy()
    await log.close()
    assert.equal(log.dropped, 2)
  })

  it('loses nothing when the process ends by an error that nobody caught', () => {
    const url = new URL('../../../src/framework/log/process-log.ts', import.meta.url).href
    const script = `import { createProcessLog } from ${JSON.stringify(url)}
      const log = createProcessLog({ batchMs: 60000 })
      log.write({ level: 'info', channel: 'app', message: 'the last word', context: {} })
      process.on('uncaughtException', () => process.exit(3))
      throw new Error('crash')`
    let output = ''
    try {
      output = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })
    } catch (error) {
      output = (error as { stdout: string }).stdout
    }
    assert.match(output, /the last word/)
  })
})
