import type { SecureVersion } from 'node:tls';

const versions: ReadonlyMap<string, SecureVersion> = new Map([
  ['VersionTLS12', 'TLSv1.2'],
  ['VersionTLS13', 'TLSv1.3'],
]);
const outdated: ReadonlySet<string> = new Set(['VersionTLS10', 'VersionTLS11']);

/** The value of `--tls-min-version`. Throws an Error when it is invalid. */
export function tlsMinVersion(name: string): SecureVersion {
  const version = versions.get(name);
  if (version) return version;
  if (outdated.has(name))
    throw new Error(`--tls-min-version ${name}: versions before TLS 1.2 are not served; use VersionTLS12`);
  throw new Error(`unknown tls version ${JSON.stringify(name)}`);
}

/** All suites of TLS 1.3. As in Go, they cannot be configured. */
const modernSuites = ['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'];

/** The TLS 1.2 suites that upstream accepts, with their OpenSSL names. Upstream no longer accepts those with RC4 and 3DES. */
const suites: ReadonlyMap<string, string> = new Map([
  ['TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA', 'ECDHE-ECDSA-AES128-SHA'],
  ['TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256', 'ECDHE-ECDSA-AES128-SHA256'],
  ['TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256', 'ECDHE-ECDSA-AES128-GCM-SHA256'],
  ['TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA', 'ECDHE-ECDSA-AES256-SHA'],
  ['TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384', 'ECDHE-ECDSA-AES256-GCM-SHA384'],
  ['TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305', 'ECDHE-ECDSA-CHACHA20-POLY1305'],
  ['TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256', 'ECDHE-ECDSA-CHACHA20-POLY1305'],
  ['TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA', 'ECDHE-RSA-AES128-SHA'],
  ['TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256', 'ECDHE-RSA-AES128-SHA256'],
  ['TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256', 'ECDHE-RSA-AES128-GCM-SHA256'],
  ['TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA', 'ECDHE-RSA-AES256-SHA'],
  ['TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384', 'ECDHE-RSA-AES256-GCM-SHA384'],
  ['TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305', 'ECDHE-RSA-CHACHA20-POLY1305'],
  ['TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256', 'ECDHE-RSA-CHACHA20-POLY1305'],
  ['TLS_RSA_WITH_AES_128_CBC_SHA', 'AES128-SHA'],
  ['TLS_RSA_WITH_AES_128_CBC_SHA256', 'AES128-SHA256'],
  ['TLS_RSA_WITH_AES_128_GCM_SHA256', 'AES128-GCM-SHA256'],
  ['TLS_RSA_WITH_AES_256_CBC_SHA', 'AES256-SHA'],
  ['TLS_RSA_WITH_AES_256_GCM_SHA384', 'AES256-GCM-SHA384'],
]);

/**
 * Converts `--tls-cipher-suites` to OpenSSL's notation; undefined for the listener's default. Throws an Error with upstream's message for
 * an unknown suite.
 */
export function tlsCiphers(names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined;
  const chosen = names.flatMap((name) => {
    if (modernSuites.includes(name)) return [];
    const suite = suites.get(name);
    if (suite === undefined) throw new Error(`Cipher suite ${name} not supported or doesn't exist`);
    return [suite];
  });
  return [...modernSuites, ...chosen].join(':');
}
