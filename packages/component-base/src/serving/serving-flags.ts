import { type Completed, flag, type Given } from '../flags/flag.ts';
import { boolean, duration, integer, ip, namedCertificates, string, strings } from '../flags/flag-types.ts';

/** Upstream's flags for a component's HTTPS port, grouped as in `--help`. */
export const servingFlagGroups = (port: number) => ({
  'Secure serving': {
    'secure-port': flag(integer, 'Port for health and metrics over HTTPS; 0: not served', port),
    'bind-address': flag(ip, 'Address to listen on; 0.0.0.0 or :: for all', '0.0.0.0'),
    'cert-dir': flag(
      string,
      'Directory for the generated certificate without --tls-cert-file; empty: in memory only',
      '',
    ),
    'tls-cert-file': flag(string, 'Certificate of the port, with its chain; default: a self-signed one'),
    'tls-private-key-file': flag(string, 'Private key of --tls-cert-file'),
    'tls-sni-cert-key': flag(namedCertificates, 'Further certificates, selected by server name (SNI)', []),
    'tls-min-version': flag(string, 'Lowest version of TLS: VersionTLS12 or VersionTLS13', ''),
    'tls-cipher-suites': flag(strings, 'Cipher suites of TLS 1.2, by Go’s names', []),
    'http2-max-streams-per-connection': flag(
      integer,
      'Concurrent requests per HTTP/2 connection; 0: the default of 250',
      0,
    ),
    'disable-http2-serving': flag(boolean, 'Serve HTTP/1.1 only', false),
  },
  Authentication: {
    'authentication-kubeconfig': flag(
      string,
      'Kubeconfig of the API server for token reviews and client CAs; without, tokens are ignored',
    ),
    'authentication-skip-lookup': flag(boolean, 'Do not look up client CAs in the cluster', false),
    'authentication-tolerate-lookup-failure': flag(boolean, 'Continue when client CAs cannot be looked up', false),
    'authentication-token-webhook-cache-ttl': flag(duration, 'How long token reviews are cached', '10s'),
    'client-ca-file': flag(string, 'CAs of client certificates'),
    'requestheader-client-ca-file': flag(string, 'CAs of front proxies, which name users in headers'),
    'requestheader-allowed-names': flag(strings, 'Allowed common names of front proxies; empty: any', []),
    'requestheader-username-headers': flag(strings, 'Headers in which a front proxy names the user', ['x-remote-user']),
    'requestheader-uid-headers': flag(strings, 'Headers in which a front proxy sends the UID', []),
    'requestheader-group-headers': flag(strings, 'Headers in which a front proxy sends the groups', ['x-remote-group']),
    'requestheader-extra-headers-prefix': flag(
      strings,
      'Prefixes of headers in which a front proxy sends extra attributes',
      ['x-remote-extra-'],
    ),
  },
  Authorization: {
    'authorization-kubeconfig': flag(
      string,
      'Kubeconfig of the API server for access reviews; without, only some paths are allowed',
    ),
    'authorization-always-allow-paths': flag(strings, 'Paths that are served without authorization', [
      '/healthz',
      '/readyz',
      '/livez',
    ]),
    'authorization-webhook-cache-authorized-ttl': flag(duration, 'How long allowing decisions are cached', '10s'),
    'authorization-webhook-cache-unauthorized-ttl': flag(duration, 'How long refusing decisions are cached', '10s'),
  },
});

/** The flags of all groups, by name. */
export const servingFlags = (port: number) => {
  const groups = servingFlagGroups(port);
  return { ...groups['Secure serving'], ...groups.Authentication, ...groups.Authorization };
};

/** The given values of the serving flags. */
export type ServingOptions = Given<ReturnType<typeof servingFlags>>;

/** The values of the serving flags with defaults. */
export type ServingSettings = Completed<ReturnType<typeof servingFlags>>;
