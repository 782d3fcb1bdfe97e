import { once } from 'node:events';
import { connect, type TLSSocket } from 'node:tls';
import type { Activity, Churn } from './activity.ts';

/** New connections: with a request, with half of one, or with none; with the client's certificate or without. */
export const connections: Activity = {
  name: 'connections',
  perMinute: 60,
  atOnce: 8,
  async run(churn, turn) {
    const socket = await opened(churn, turn % 2 === 0);
    socket.on('error', () => {});
    try {
      if (turn % 4 === 0) return;
      if (turn % 4 === 1) {
        socket.write('GET /api/v1/pods HTTP/1.1\r\nhost: x\r\n');
        return;
      }
      socket.write('GET /readyz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
      await once(socket.resume(), 'close', { signal: AbortSignal.timeout(10_000) });
    } finally {
      socket.destroy();
    }
  },
};

async function opened({ config }: Churn, withCertificate: boolean): Promise<TLSSocket> {
  const { hostname, port } = new URL(config.server);
  const { clientCertificate } = (await config.credentials?.current()) ?? {};
  const own = withCertificate && clientCertificate;
  const socket = connect({
    host: hostname,
    port: Number(port),
    rejectUnauthorized: false,
    ALPNProtocols: ['http/1.1'],
    ...(own && { cert: own.certificate, key: own.key }),
  });
  await once(socket, 'secureConnect', { signal: AbortSignal.timeout(10_000) });
  return socket;
}
