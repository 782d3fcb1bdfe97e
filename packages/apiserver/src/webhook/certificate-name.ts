import { isIP } from 'node:net';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';

/** With more names, upstream's message has only their number. */
const maxNames = 100;

/**
 * Returns Go's error message when a certificate is not valid for the server name, or undefined when it is. Unlike Node's check, it
 * ignores the common name.
 */
export function certificateNameProblem(serverName: string, certificate: PeerCertificate): string | undefined {
  const alternatives = certificate.subjectaltname;
  const isAddress = isIP(serverName) !== 0;
  if (alternatives !== undefined && checkServerIdentity(serverName, certificate) === undefined) return undefined;
  const names = alternatives === undefined ? [] : namesIn(alternatives, isAddress ? 'IP Address:' : 'DNS:');
  if (names.length > maxNames)
    return `x509: certificate is valid for ${names.length} names, but none matched ${serverName}`;
  if (names.length > 0) return `x509: certificate is valid for ${names.join(', ')}, not ${serverName}`;
  if (isAddress) return `x509: cannot validate certificate for ${serverName} because it doesn't contain any IP SANs`;
  if (alternatives === undefined && isNamed(serverName, certificate))
    return 'x509: certificate relies on legacy Common Name field, use SANs instead';
  return `x509: certificate is not valid for any names, but wanted to match ${serverName}`;
}

/** Returns whether the common name matches, which Go does not accept any more. */
const isNamed = (serverName: string, certificate: PeerCertificate): boolean =>
  checkServerIdentity(serverName, certificate) === undefined;

/** Node quotes names with special characters; these are omitted. */
const namesIn = (alternatives: string, prefix: string): string[] =>
  alternatives.split(', ').flatMap((name) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : []));
