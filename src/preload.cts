// What `fanlight dev` has every Node process of a program require, in place of `fanlight/register`: a Node that cannot require a
// module of ECMAScript runs the program without us. CommonJS, so that each version can read it.

try {
  // Sources run unbuilt as `.ts`, the package as `.js`.
  require(`./register${__filename.endsWith('.cts') ? '.ts' : '.js'}`)
} catch (thrown) {
  const reason = thrown instanceof Error ? thrown.message.split('\n')[0] : 'a loader of the program throws'
  process.stderr.write(`fanlight: off, Node ${process.versions.node} cannot require it: ${reason}\n`)
}
