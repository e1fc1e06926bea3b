// What `fanlight dev`, and a program that requires `fanlight/register`, has every Node process require: a Node that cannot require a
// module of ECMAScript runs the program without us. CommonJS, so that each version can read it.

try {
  // Sources run unbuilt as `.ts`, the package as `.js`.
  require(`./register${__filename.endsWith('.cts') ? '.ts' : '.js'}`)
} catch (thrown) {
  // Node's thread for load hooks requires this as well, and cannot require such a module in version 22. No request is in it.
  if (require('node:worker_threads').isInternalThread !== true) {
    const reason = thrown instanceof Error ? thrown.message.split('\n')[0] : 'a loader of the program throws'
    process.stderr.write(`fanlight: off, Node ${process.versions.node} cannot require it: ${reason}\n`)
  }
}
