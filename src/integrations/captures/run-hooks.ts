// What runs without a request: queues and workers of BullMQ, tasks of node-cron and croner.

import type { LoadHook, Observer } from '../integration.ts'
import { replaceFunction, replaceMethod } from '../replace-method.ts'
import { observeAtFirstUse } from './observe-at-first-use.ts'
import { observe } from './observers.ts'

export const runHooks: readonly LoadHook[] = [
  { package: 'bullmq', file: 'dist/cjs/classes/queue-base.js', value: 'exports.QueueBase', take: observeQueues },
  { package: 'bullmq', file: 'dist/esm/classes/queue-base.js', value: 'QueueBase', take: observeQueues },
  { package: 'bullmq', file: 'dist/cjs/classes/flow-producer.js', value: 'exports.FlowProducer', take: observeFlows },
  { package: 'bullmq', file: 'dist/esm/classes/flow-producer.js', value: 'FlowProducer', take: observeFlows },
  ...['dist/node-cron.js', 'dist/node-cron.cjs'].map((file): LoadHook => {
    // What `schedule` calls, too.
    const copies = file.endsWith('.cjs') ? 'nodeCron.createTask = exports.createTask' : 'nodeCron.createTask'
    const value = `({ get createTask() { return createTask }, set createTask(made) { createTask = ${copies} = made } })`
    return { package: 'node-cron', file, value, majors: [4], take: observeTasks }
  }),
  { package: 'croner', file: 'dist/croner.cjs', value: 'module.exports.Cron', take: observeCrons },
  {
    package: 'croner',
    file: 'dist/croner.js',
    // The class has no name in the file that could be relied on.
    value: (source) => /([\w$]+) as Cron\b/.exec(source)?.[1] ?? 'Cron',
    take: observeCrons,
  },
]

/** Queues and workers ask for their telemetry each time that they trace something. */
function observeQueues(QueueBase: unknown, observer: Observer): void {
  replaceMethod(Reflect.get(Object(QueueBase), 'prototype'), 'trace', (target, _args, run) => {
    if ('addBulk' in target || 'processJob' in target) observer.guard('bullmq: queue', () => observe(target))
    return run()
  })
}

function observeFlows(FlowProducer: unknown, observer: Observer): void {
  observeAtFirstUse(FlowProducer, { place: 'bullmq: flow', methods: ['add', 'addBulk'], observe }, observer)
}

function observeTasks(functions: unknown, observer: Observer): void {
  replaceFunction(functions, 'createTask', (_own, _args, run) => {
    const task = run()
    observer.guard('node-cron', () => observe(Object(task)))
    return task
  })
}

/** The constructor calls `schedule` if it was given a function, and so does who gives it one later. */
function observeCrons(Cron: unknown, observer: Observer): void {
  observeAtFirstUse(Cron, { place: 'croner', methods: ['schedule', 'trigger'], observe }, observer)
}
