// A certificate that is not trusted.

import { knownByCode } from './error-parts.ts'
import type { HintRule } from './hint.ts'

/** A certificate that is not trusted. */
export const certificate: HintRule = {
  name: 'certificate',
  ...knownByCode(
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'SELF_SIGNED_CERT_IN_CHAIN',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    'CERT_HAS_EXPIRED',
    'ERR_TLS_CERT_ALTNAME_INVALID',
  ),
  explain: (error) => ({
    title: 'The certificate of the other side is not accepted',
    text:
      `${certificateReason(error.code)} Give Node the certificate authority with NODE_EXTRA_CA_CERTS; ` +
      'switching verification off exposes every call.',
  }),
}

function certificateReason(code: string | null): string {
  switch (code) {
    case 'CERT_HAS_EXPIRED':
      return 'It has expired (or the clock of this machine is wrong).'
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return 'It was issued for another host name than the one that was called.'
    default:
      return 'It was signed by an authority that this process does not know.'
  }
}
