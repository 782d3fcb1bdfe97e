import { request } from 'node:https';
import { parseYaml } from '@coxswain/apimachinery';

/** A server's address and CA, and a client's credentials. */
export interface Access {
  readonly server: string;
  readonly ca: string;
  readonly cert?: string;
  readonly key?: string;
  readonly token?: string;
  /** The server name in the TLS handshake (SNI). */
  readonly servername?: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  /** SHA-256 of the server's certificate. */
  readonly fingerprint: string;
  readonly protocol: string;
}

/** Reads a kubeconfig with one cluster and one user, as the server writes it. */
export function readKubeconfig(text: string): Access {
  const config = parseYaml(text).value as {
    clusters: { cluster: Record<string, string> }[];
    users: { user: Record<string, string> }[];
  };
  const cluster = config.clusters[0]!.cluster;
  const user = config.users[0]!.user;
  const decoded = (value: string | undefined): string => Buffer.from(value ?? '', 'base64').toString();
  return {
    server: cluster.server ?? '',
    ca: decoded(cluster['certificate-authority-data']),
    cert: decoded(user['client-certificate-data']),
    key: decoded(user['client-key-data']),
  };
}

/** Sends a request on a new connection, and verifies the server's certificate. */
export function fetchOnce({ server, token, ...tls }: Access, path: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = token ? { authorization: `Bearer ${token}` } : {};
    const options = { ...tls, headers, agent: false, ALPNProtocols: ['http/1.1'] };
    const outgoing = request(`${server}${path}`, options, (response) => {
      const chunks: Buffer[] = [];
      const socket = response.socket as import('node:tls').TLSSocket;
      const { fingerprint256 } = socket.getPeerCertificate();
      const protocol = socket.getProtocol() ?? '';
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(chunks).toString(),
          fingerprint: fingerprint256,
          protocol,
        }),
      );
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}
