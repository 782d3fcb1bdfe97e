import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { quote } from '@coxswain/apimachinery';
import { pemBlocks } from '@coxswain/apimachinery/der';
import { timeFromDate } from '@coxswain/apimachinery/time';
import { hostPort } from '../proxy/dialer.ts';
import { socketError } from '../proxy/socket-error.ts';
import { certificateNameProblem } from './certificate-name.ts';
import type { ServiceAddress } from './service-resolver.ts';
import { WebhookCallError } from './webhook-error.ts';

/** The target of a TLS connection, the CA to trust, and the client certificate. */
export interface SecureSocketOptions {
  readonly address: ServiceAddress;
  /** The name that the certificate must be valid for. */
  readonly serverName: string;
  /** The CA certificates as PEM; the system's by default. */
  readonly ca?: string;
  /** PEM. */
  readonly clientCertificate?: { readonly cert: string; readonly key: string };
  /** Accepts any certificate. Only a kubeconfig can set this. */
  readonly insecure?: boolean;
  readonly now: () => Date;
  /** Aborts connecting. */
  readonly signal?: AbortSignal | undefined;
}

const connectTimeoutMs = 30_000;
const handshakeTimeoutMs = 10_000;

/**
 * Opens a TLS connection and verifies the server's certificate before anything is sent. Rejects with a WebhookCallError that has Go's
 * message.
 */
export function openSecureSocket(options: SecureSocketOptions): Promise<TLSSocket> {
  const { address, serverName, ca, clientCertificate, insecure = false, now, signal } = options;
  const target = { ...address, port: String(address.port), scheme: 'https', trust: 'none' } as const;
  return new Promise((resolve, reject) => {
    let nameProblem: string | undefined;
    const tls: ConnectionOptions = {
      host: address.host,
      port: address.port,
      // The certificate is verified below, before the promise resolves, with a better error message.
      rejectUnauthorized: false,
      checkServerIdentity: (_, certificate) => {
        nameProblem = certificateNameProblem(serverName, certificate);
        return nameProblem === undefined ? undefined : new Error(nameProblem);
      },
      // As in Go, a trusted certificate need not be a root.
      allowPartialTrustChain: true,
      ALPNProtocols: ['http/1.1'],
      ...(isIP(serverName) === 0 && { servername: serverName }),
      ...(ca !== undefined && { ca }),
      ...clientCertificate,
    };
    let connected = false;
    const socket = connect(tls);
    const giveUp = (message: string) => (): void => fail(new WebhookCallError(message, 'network'));
    let timer = setTimeout(giveUp(`dial tcp ${hostPort(target)}: i/o timeout`), connectTimeoutMs);
    const fail = (error: WebhookCallError): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abandon);
      socket.destroy();
      reject(error);
    };
    const abandon = giveUp('context canceled');
    signal?.addEventListener('abort', abandon);
    socket.once('connect', () => {
      connected = true;
      clearTimeout(timer);
      timer = setTimeout(giveUp('net/http: TLS handshake timeout'), handshakeTimeoutMs);
    });
    const failed = (error: Error): void => {
      const { message } = socketError(error, target, connected ? 'handshaking' : 'connecting');
      fail(new WebhookCallError(message, 'network', { cause: error }));
    };
    const closed = giveUp('EOF');
    socket.on('error', failed);
    socket.once('close', closed);
    if (signal?.aborted) abandon();
    socket.once('secureConnect', () => {
      if (!insecure && !socket.authorized) {
        const problem = nameProblem ?? chainProblem(socket, ca, now());
        fail(new WebhookCallError(`tls: failed to verify certificate: ${problem}`, 'network'));
        return;
      }
      clearTimeout(timer);
      signal?.removeEventListener('abort', abandon);
      socket.off('error', failed);
      socket.off('close', closed);
      resolve(socket);
    });
  });
}

/** Returns Go's message for a certificate that does not verify against the trusted CAs. */
function chainProblem(socket: TLSSocket, ca: string | undefined, now: Date): string {
  const reason = String(socket.authorizationError);
  const certificate = socket.getPeerX509Certificate();
  if (reason === 'CERT_HAS_EXPIRED' || reason === 'CERT_NOT_YET_VALID') {
    const expired = 'x509: certificate has expired or is not yet valid';
    if (!certificate) return expired;
    const [from, to] = [new Date(certificate.validFrom), new Date(certificate.validTo)];
    if (now > to) return `${expired}: current time ${timeFromDate(now)} is after ${timeFromDate(to)}`;
    return now < from ? `${expired}: current time ${timeFromDate(now)} is before ${timeFromDate(from)}` : expired;
  }
  if (reason === 'INVALID_PURPOSE') return 'x509: certificate specifies an incompatible key usage';
  return `x509: certificate signed by unknown authority${certificate && ca !== undefined ? candidateHint(certificate, ca) : ''}`;
}

/** Returns Go's hint when a trusted CA has the issuer's name but another key. */
function candidateHint(certificate: X509Certificate, ca: string): string {
  for (const { bytes } of pemBlocks(ca)) {
    try {
      const candidate = new X509Certificate(bytes);
      if (candidate.subject !== certificate.issuer || certificate.verify(candidate.publicKey)) continue;
      const failure =
        candidate.publicKey.asymmetricKeyType === 'rsa'
          ? 'crypto/rsa: verification error'
          : 'x509: ECDSA verification failure';
      const name = /^CN=(.*)$/m.exec(candidate.subject)?.[1] ?? '';
      return ` (possibly because of ${quote(failure)} while trying to verify candidate authority certificate ${quote(name)})`;
    } catch {
      // Blocks that are not certificates are ignored.
    }
  }
  return '';
}
