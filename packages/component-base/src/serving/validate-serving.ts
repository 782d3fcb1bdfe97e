import { messageOf } from '@coxswain/apimachinery/errors';
import { pathAuthorizer } from './delegated-authorizer.ts';
import type { ServingOptions } from './serving-flags.ts';
import { tlsCiphers, tlsMinVersion } from './tls-settings.ts';

/** Returns the problems of the serving flags. Each message names its flag. */
export function servingProblems(given: ServingOptions): string[] {
  const { securePort = 0, http2MaxStreamsPerConnection = 0, tlsCertFile, tlsPrivateKeyFile } = given;
  const headers = [
    ['username-headers', given.requestheaderUsernameHeaders],
    ['uid-headers', given.requestheaderUidHeaders],
    ['group-headers', given.requestheaderGroupHeaders],
    ['extra-headers-prefix', given.requestheaderExtraHeadersPrefix],
    ['allowed-names', given.requestheaderAllowedNames],
  ] as const;
  return [
    ...(securePort < 0 || securePort > 65_535
      ? [`--secure-port ${securePort} must be between 0 and 65535, inclusive. 0 for turning off secure port`]
      : []),
    ...(!tlsCertFile !== !tlsPrivateKeyFile
      ? ['--tls-cert-file and --tls-private-key-file go together: give both']
      : []),
    ...(http2MaxStreamsPerConnection < 0
      ? [`--http2-max-streams-per-connection ${http2MaxStreamsPerConnection} must not be negative`]
      : []),
    ...problemOf('', () => tlsMinVersion(given.tlsMinVersion || 'VersionTLS12')),
    ...problemOf('', () => tlsCiphers(given.tlsCipherSuites ?? [])),
    ...problemOf('--authorization-always-allow-paths: ', () =>
      pathAuthorizer(given.authorizationAlwaysAllowPaths ?? []),
    ),
    ...headers.flatMap(([name, values = []]) =>
      values.some((value) => value.trim() === '') ? [`empty value in "requestheader-${name}"`] : [],
    ),
  ];
}

function problemOf(prefix: string, attempt: () => unknown): string[] {
  try {
    attempt();
    return [];
  } catch (error) {
    return [prefix + messageOf(error)];
  }
}
