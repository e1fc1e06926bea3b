// Hints about connections that fail.

import { byCode, peerOf, type BuiltInHint } from './hint.ts'

export const networkHints: readonly BuiltInHint[] = [
  {
    name: 'connection-refused',
    matches: byCode('ECONNREFUSED'),
    explain: (error) => ({
      title: `Nothing is listening on ${peerOf(error)}`,
      text:
        `The connection to ${peerOf(error)} was refused: the service is not running, runs on another port, ` +
        'or listens on another address (localhost may mean ::1 or 127.0.0.1). In a container, localhost is ' +
        'the container itself.',
    }),
  },
  {
    name: 'host-not-found',
    matches: byCode('ENOTFOUND', 'EAI_AGAIN'),
    explain: (error) => ({
      title: `The host ${peerOf(error)} cannot be found`,
      text:
        'The name did not resolve. Check its spelling in the configuration; in a container or a cluster, ' +
        'check that the service has that name in this network. EAI_AGAIN means that the resolver itself did ' +
        'not respond.',
    }),
  },
  {
    name: 'connection-timed-out',
    matches: byCode(
      'ETIMEDOUT',
      'UND_ERR_CONNECT_TIMEOUT',
      'UND_ERR_HEADERS_TIMEOUT',
      'UND_ERR_BODY_TIMEOUT',
      'ESOCKETTIMEDOUT',
    ),
    explain: (error) => ({
      title: `${peerOf(error)} did not respond in time`,
      text:
        'No response at all suggests a firewall, a wrong address or an overloaded service. Raise the limit ' +
        'only if the work is known to take that long.',
    }),
  },
  {
    name: 'connection-reset',
    matches: byCode('ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'),
    explain: () => ({
      title: 'The other side closed the connection',
      text:
        'It restarted, closed an idle connection, or rejected what was sent (TLS to a plain port does this). ' +
        'Requests that change nothing can be retried once.',
    }),
  },
  {
    name: 'network-unreachable',
    matches: byCode('EHOSTUNREACH', 'ENETUNREACH'),
    explain: (error) => ({
      title: `${peerOf(error)} is unreachable`,
      text:
        'This machine has no route to that address: the network is down, or the address belongs to another ' +
        'network (an IPv6 address where only IPv4 works is common).',
    }),
  },
  {
    name: 'address-in-use',
    matches: byCode('EADDRINUSE'),
    explain: (error) => ({
      title: `${peerOf(error)} is already in use`,
      text:
        'Another process is listening there, often an earlier run of this one. Stop it, or set PORT to another ' +
        'number; 0 picks any free port.',
    }),
  },
  {
    name: 'certificate',
    matches: byCode(
      'DEPTH_ZERO_SELF_SIGNED_CERT',
      'SELF_SIGNED_CERT_IN_CHAIN',
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
      'CERT_HAS_EXPIRED',
      'ERR_TLS_CERT_ALTNAME_INVALID',
    ),
    explain: (error) => ({
      title: 'The TLS certificate of the other side was rejected',
      text:
        `${certificateReason(error.code)} To trust a private authority, set NODE_EXTRA_CA_CERTS; ` +
        'turning verification off exposes every request.',
    }),
  },
  {
    name: 'timed-out',
    replaces: 'aborted',
    matches: (error) => error.className === 'TimeoutError',
    explain: () => ({
      title: 'The work took longer than its time limit',
      text: 'A signal with a time limit ended it. The timeline shows what took long.',
    }),
  },
  {
    name: 'aborted',
    matches: (error) => error.className === 'AbortError',
    explain: () => ({
      title: 'The work was aborted',
      text:
        'An AbortSignal ended it: the client went away, or the code that started it no longer needed the ' +
        'result. This is rarely a bug.',
    }),
  },
]

function certificateReason(code: string | null): string {
  switch (code) {
    case 'CERT_HAS_EXPIRED':
      return 'It has expired, or the clock of this machine is wrong.'
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return 'It was issued for another host name.'
    default:
      return 'It was signed by an authority that this process does not know.'
  }
}
