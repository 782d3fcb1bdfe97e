import type { SecureVersion } from 'node:tls';

const versions: ReadonlyMap<string, SecureVersion> = new Map([
  ['VersionTLS12', 'TLSv1.2'],
  ['VersionTLS13', 'TLSv1.3'],
]);
const outdated: ReadonlySet<string> = new Set(['VersionTLS10', 'VersionTLS11']);

/** `--tls-min-version`. Throws an Error that says what is wrong with it. */
export function tlsMinVersion(name: string): SecureVersion {
  const version = versions.get(name);
  if (version) return version;
  if (outdated.has(name))
    throw new Error(`--tls-min-version ${name}: versions before TLS 1.2 are not served; use VersionTLS12`);
  throw new Error(`unknown tls version ${JSON.stringify(name)}`);
}

/** All of TLS 1.3: Go does not let anybody choose among them, and nor do we. */
const modernSuites = ['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'];

/** Those of TLS 1.2 that upstream takes, by the names that OpenSSL has for them. Those with RC4 and 3DES it has no more. */
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
 * `--tls-cipher-suites` in OpenSSL's notation; undefined for the listener's choice. Throws an Error, in upstream's words, for one
 * that it has not.
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
