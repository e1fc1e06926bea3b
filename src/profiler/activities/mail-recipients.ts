// Hides the recipients of mails in texts.

import { mask } from '../../framework/redact/rules.ts'

/** Puts `a******@example.org` in place of each address, as it is and as links have it. */
export function recipientHider(addresses: readonly string[]): (text: string) => string {
  const names = new RegExp(addresses.flatMap(spellings).map(escaped).join('|') || '(?!)', 'gi')
  return (text) => text.replace(names, (address) => hiddenAddress(address))
}

function spellings(address: string): readonly string[] {
  const encoded = encodeURIComponent(address)
  return encoded === address ? [address] : [address, encoded]
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
}

/** The first letter tells recipients apart, where enough letters follow it. */
function hiddenAddress(address: string): string {
  const at = /@|%40/i.exec(address)?.index ?? address.length
  return `${at < 4 ? '' : address.slice(0, 1)}${mask}${address.slice(at)}`
}
