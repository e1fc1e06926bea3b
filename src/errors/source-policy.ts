// Which files may be read to be shown as source: code of the project, and nothing that holds secrets (SECURITY section
// 4).

/** Whether a file, named relative to the project root with `/`, may be shown as source. */
export function mayShowSource(relativePath: string): boolean {
  if (!isVisiblePath(relativePath)) return false
  const dot = relativePath.lastIndexOf('.')
  return dot >= 0 && sourceExtensions.has(relativePath.slice(dot).toLowerCase())
}

/** Whether a file, named relative to the project root with `/`, may be read as a source map. */
export function mayReadMap(relativePath: string): boolean {
  return isVisiblePath(relativePath) && relativePath.toLowerCase().endsWith('.map')
}

// A list of what may be shown, because a list of what may not (`.env`, `*.pem`, `*.key`) is never complete; source maps
// can name any file.
const sourceExtensions: ReadonlySet<string> = new Set(
  (
    '.ts .mts .cts .tsx .js .mjs .cjs .jsx .vue .svelte .astro .marko .riot .coffee .civet .imba .res ' +
    '.html .htm .hbs .ejs .eta .pug .njk .liquid .edge .mdx'
  ).split(' '),
)

/** Below the root, in no dot-directory, no dot-file, nothing of `node_modules`. */
function isVisiblePath(relativePath: string): boolean {
  return !hiddenPart.test(relativePath)
}

/** An empty part, one that begins with a dot, a directory of packages; and what no path has. */
// oxlint-disable-next-line no-control-regex
const hiddenPart = /(?:^|\/)(?:\.|\/|$|node_modules(?:\/|$))|\0/i
