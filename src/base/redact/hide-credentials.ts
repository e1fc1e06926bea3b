// Addresses for messages, without what may be a secret.

/** `redis://******@host`: hides user and password, what may be a piece of them, and parameters. */
export function hideCredentials(address: string): string {
  return address.replace(/^([\w+.-]*:\/{0,2})?.*@/s, '$1******@').replace(/\?.*/s, '?******')
}
