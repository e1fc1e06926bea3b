// Tells whether text of a request has become markup of a page. Reads tags and attributes as a browser's tokenizer does.

/** Text that becomes an element, an attribute or a script where it is not escaped for its place. */
export const injections: readonly string[] = [
  '"><zqtag zqattr=1>',
  "' zqattr=1 x='",
  '" zqattr=1 x="',
  '</script><zqtag>',
  '</style></title></textarea><zqtag>',
  '<svg/onload=zqattr()>',
  '<img src=x onerror=zqattr()>',
  'javascript:zqattr()',
  '--><zqtag>',
  '`><zqtag>',
]

const tag = /<\/?([a-zA-Z][^\s/>]*)((?:"[^"]*"|'[^']*'|[^"'>])*)>/g
const attribute = /([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>`]+)))?/g

/** What of a page is not the library's own: tags, attributes, script addresses. Empty when all is well. */
export function injectedMarkup(markup: string): readonly string[] {
  const found: string[] = []
  const withoutRaw = markup.replaceAll(
    /<(script|style)\b([^>]*)>([\s\S]*?)<\/\1>/g,
    (_, name: string, attributes: string, content: string) => {
      // Data may quote the request, escaped for its place; code and styles must not know it.
      const isData = attributes.includes('type="application/json"')
      if (isData ? content.includes('<') : content.includes('zq')) found.push(`inside <${name}${attributes}>`)
      return ''
    },
  )
  for (const [whole, name = '', rest = ''] of withoutRaw.matchAll(tag)) {
    if (name.toLowerCase() === 'zqtag') found.push(whole)
    for (const [, key = '', double, single, bare] of rest.matchAll(attribute)) {
      const value = double ?? single ?? bare ?? ''
      if (key.toLowerCase() === 'zqattr' || /^on/i.test(key)) found.push(whole)
      if (
        /^(?:href|src|action|formaction|xlink:href)$/i.test(key) &&
        /^\s*(?:javascript|data:text|vbscript)/i.test(value)
      )
        found.push(whole)
    }
  }
  return found
}
