// What runs without a request: queues and workers of BullMQ, tasks of node-cron and croner.

import type { LoadHook, Observer } from '../integration.ts'
import { replaceMethod } from '../replace-method.ts'
import { observeAtFirstUse } from './observe-at-first-use.ts'
import { observe } from './observers.ts'

export const runHooks: readonly LoadHook[] = [
  { package: 'bullmq', file: 'dist/cjs/classes/queue-base.js', value: 'exports.QueueBase', take: observeQueues },
  { package: 'bullmq', file: 'dist/esm/classes/queue-base.js', value: 'QueueBase', take: observeQueues },
  { package: 'bullmq', file: 'dist/cjs/classes/flow-producer.js', value: 'exports.FlowProducer', take: observeFlows },
  { package: 'bullmq', file: 'dist/esm/classes/flow-producer.js', value: 'FlowProducer', take: observeFlows },
  { package: 'node-cron', file: 'dist/_shared.js', value: 'InlineScheduledTask', majors: [4], take: observeTasks },
  { package: 'node-cron', file: 'dist/_shared.cjs', value: 'InlineScheduledTask', majors: [4], take: observeTasks },
  {
    package: 'node-cron',
    file: 'dist/node-cron.js',
    value: 'BackgroundScheduledTask',
    majors: [4],
    take: observeTasks,
  },
  {
    package: 'node-cron',
    file: 'dist/node-cron.cjs',
    value: 'BackgroundScheduledTask',
    majors: [4],
    take: observeTasks,
  },
  { package: 'croner', file: 'dist/croner.cjs', value: 'module.exports.Cron', take: observeCrons },
  {
    package: 'croner',
    file: 'dist/croner.js',
    // The class has no name in the file that could be relied on. What it runs while it is being imported is not seen.
    value: 'import(import.meta.url)',
    take: (value, observer) => {
      void Promise.resolve(value).then((exports: unknown) =>
        observer.guard('croner', () => observeCrons(Reflect.get(Object(exports), 'Cron'), observer)),
      )
    },
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

function observeTasks(Task: unknown, observer: Observer): void {
  observeAtFirstUse(Task, { place: 'node-cron', methods: ['start', 'execute'], observe }, observer)
}

/** What its timer calls, and what the application calls. */
function observeCrons(Cron: unknown, observer: Observer): void {
  observeAtFirstUse(Cron, { place: 'croner', methods: ['trigger', '_trigger'], observe }, observer)
}
