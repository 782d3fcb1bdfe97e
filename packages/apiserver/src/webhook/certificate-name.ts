import { isIP } from 'node:net';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';

/** Beyond that upstream only counts names. */
const maxNames = 100;

/**
 * Why a certificate is not one for this server, in Go's words; undefined when it is. Unlike Node's own check it does not
 * take the common name for an answer.
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

/** By its common name, as certificates once were. */
const isNamed = (serverName: string, certificate: PeerCertificate): boolean =>
  checkServerIdentity(serverName, certificate) === undefined;

/** Names with anything odd in them are quoted there, and are of no use here. */
const namesIn = (alternatives: string, prefix: string): string[] =>
  alternatives.split(', ').flatMap((name) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : []));
