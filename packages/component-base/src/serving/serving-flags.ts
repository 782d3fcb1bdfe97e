import { type Completed, flag, type Given } from '../flags/flag.ts';
import { boolean, duration, integer, ip, namedCertificates, string, strings } from '../flags/flag-types.ts';

/** The flags of a component's HTTPS port, as upstream's components have them: `--help` groups them so. */
export const servingFlagGroups = (port: number) => ({
  'Secure serving': {
    'secure-port': flag(integer, 'Where health and metrics are served over HTTPS; 0 for nowhere', port),
    'bind-address': flag(ip, 'Address to listen on; 0.0.0.0 or :: for all', '0.0.0.0'),
    'cert-dir': flag(
      string,
      'Where the certificate is kept when --tls-cert-file does not name one; empty: in memory',
      '',
    ),
    'tls-cert-file': flag(string, 'Certificate of the port, with its chain; without, it signs its own'),
    'tls-private-key-file': flag(string, 'The key of --tls-cert-file'),
    'tls-sni-cert-key': flag(namedCertificates, 'Further certificates, by the name that a client asks for', []),
    'tls-min-version': flag(string, 'Lowest version of TLS: VersionTLS12 or VersionTLS13', ''),
    'tls-cipher-suites': flag(strings, 'Cipher suites of TLS 1.2, by Go’s names', []),
    'http2-max-streams-per-connection': flag(integer, 'Requests at once on a connection; 0: as is good', 0),
    'disable-http2-serving': flag(boolean, 'Speak HTTP/1.1 only', false),
  },
  Authentication: {
    'authentication-kubeconfig': flag(
      string,
      'The API server that knows tokens and authorities; without, everybody is anonymous',
    ),
    'authentication-skip-lookup': flag(boolean, 'Do not look up authorities in the cluster', false),
    'authentication-tolerate-lookup-failure': flag(boolean, 'Go on when they cannot be looked up', false),
    'authentication-token-webhook-cache-ttl': flag(duration, 'How long answers about tokens are remembered', '10s'),
    'client-ca-file': flag(string, 'Authorities whose certificates say who a client is'),
    'requestheader-client-ca-file': flag(string, 'Authorities of proxies that say who a client is'),
    'requestheader-allowed-names': flag(strings, 'Names that the certificate of a proxy may have; empty: any', []),
    'requestheader-username-headers': flag(strings, 'Where a proxy says the name', ['x-remote-user']),
    'requestheader-uid-headers': flag(strings, 'Where a proxy says the UID', []),
    'requestheader-group-headers': flag(strings, 'Where a proxy says the groups', ['x-remote-group']),
    'requestheader-extra-headers-prefix': flag(strings, 'Where a proxy says anything else', ['x-remote-extra-']),
  },
  Authorization: {
    'authorization-kubeconfig': flag(string, 'The API server that says who may see what; without, nobody may'),
    'authorization-always-allow-paths': flag(strings, 'Paths that everybody may see', [
      '/healthz',
      '/readyz',
      '/livez',
    ]),
    'authorization-webhook-cache-authorized-ttl': flag(duration, 'How long a yes is remembered', '10s'),
    'authorization-webhook-cache-unauthorized-ttl': flag(duration, 'How long a no is remembered', '10s'),
  },
});

/** The same by name. */
export const servingFlags = (port: number) => {
  const groups = servingFlagGroups(port);
  return { ...groups['Secure serving'], ...groups.Authentication, ...groups.Authorization };
};

/** What may be given of them. */
export type ServingOptions = Given<ReturnType<typeof servingFlags>>;

/** What they say once defaults are in place. */
export type ServingSettings = Completed<ReturnType<typeof servingFlags>>;
