import { quote } from '@coxswain/apimachinery';
import { DialError, type DialTarget, hostPort } from './dialer.ts';

/** Go's messages for errors of the operating system, by Node's error code. */
const connectFailures: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'connect: connection refused'],
  ['ECONNRESET', 'connect: connection reset by peer'],
  ['EHOSTUNREACH', 'connect: no route to host'],
  ['ENETUNREACH', 'connect: network is unreachable'],
  ['EACCES', 'connect: permission denied'],
  ['EINVAL', 'connect: invalid argument'],
  ['EADDRNOTAVAIL', 'connect: cannot assign requested address'],
  ['ETIMEDOUT', 'connect: connection timed out'],
  ['EMFILE', 'socket: too many open files'],
]);

const lookupFailures: ReadonlyMap<string, string> = new Map([
  ['ENOTFOUND', 'no such host'],
  ['ENODATA', 'no such host'],
  ['EAI_AGAIN', 'Temporary failure in name resolution'],
]);

const certificateFailures: ReadonlyMap<string, string> = new Map([
  ['CERT_HAS_EXPIRED', 'certificate has expired or is not yet valid'],
  ['CERT_NOT_YET_VALID', 'certificate has expired or is not yet valid'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'certificate signed by unknown authority'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'certificate signed by unknown authority'],
  ['UNABLE_TO_GET_ISSUER_CERT', 'certificate signed by unknown authority'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'certificate signed by unknown authority'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'certificate signed by unknown authority'],
  ['CERT_SIGNATURE_FAILURE', 'certificate signed by unknown authority'],
]);

/** The state of a connection when it failed. */
export type Progress = 'connecting' | 'handshaking' | 'connected';

export const lookupError = (host: string, error: unknown): string =>
  `lookup ${host}: ${lookupFailures.get(textOf(error, 'code')) ?? textOf(error, 'message')}`;

/** Returns a DialError with Go's message for an error of a socket. */
export function socketError(error: unknown, target: DialTarget, progress: Progress): DialError {
  return new DialError(describe(error, target, progress), progress === 'connected', { cause: error });
}

function describe(error: unknown, target: DialTarget, progress: Progress): string {
  const code = textOf(error, 'code');
  if (lookupFailures.has(code) && progress === 'connecting') return `dial tcp: ${lookupError(target.host, error)}`;
  const certificate = certificateFailures.get(code);
  if (certificate !== undefined) return `tls: failed to verify certificate: x509: ${certificate}`;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `tls: failed to verify certificate: x509: certificate is not valid for ${target.host}`;
  if (code.startsWith('HPE_')) return malformed(error);
  if (progress === 'connecting')
    return `dial tcp ${hostPort(target)}: ${connectFailures.get(code) ?? textOf(error, 'message')}`;
  if (code === 'EPROTO' || code.startsWith('ERR_SSL_'))
    return /wrong.version.number/i.test(code + textOf(error, 'message'))
      ? 'http: server gave HTTP response to HTTPS client'
      : 'remote error: tls: handshake failure';
  if (textOf(error, 'message') === 'socket hang up' || textOf(error, 'message').startsWith('Client network socket'))
    return 'EOF';
  if (code === 'ECONNRESET') return `read tcp ${hostPort(target)}: read: connection reset by peer`;
  if (code === 'EPIPE') return `write tcp ${hostPort(target)}: write: broken pipe`;
  return textOf(error, 'message');
}

/** Returns Go's message for a response that is not HTTP. */
function malformed(error: unknown): string {
  const packet = typeof error === 'object' && error !== null && 'rawPacket' in error ? error.rawPacket : undefined;
  const [line = ''] = Buffer.isBuffer(packet) ? packet.toString('latin1', 0, 1024).split(/\r?\n/, 1) : [];
  const [, status] = line.split(' ', 2);
  return status === undefined || line.startsWith('HTTP/')
    ? `malformed HTTP response ${quote(line)}`
    : `malformed HTTP status code ${quote(status)}`;
}

function textOf(error: unknown, property: 'code' | 'message'): string {
  const value: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, property) : undefined;
  return typeof value === 'string' ? value : '';
}
