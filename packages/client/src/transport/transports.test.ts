import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningApiServer, startApiServer } from '@coxswain/apiserver';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Credential } from '../config/rest-config.ts';
import { FetchTransport } from './fetch-transport.ts';
import { InProcessTransport } from './in-process-transport.ts';
import { newTransport } from './new-transport.ts';
import { NodeTransport } from './node/node-transport.ts';
import type { Transport } from './transport.ts';
import { describeTransport } from './transport-contract.test-data.ts';

let server: RunningApiServer;
let directory: string;
let ca: string;
let clientCertificate: NonNullable<Credential['clientCertificate']>;
/** Passes plain HTTP on to the server, as its administrator: what a browser would have between. */
let front: Server;
let frontUrl: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'transports-'));
  server = await startApiServer({ memory: true, securePort: 0, bindAddress: '127.0.0.1', certDir: directory });
  const data = (field: string): string =>
    Buffer.from(new RegExp(`${field}: (\\S+)`).exec(server.kubeconfig!)![1]!, 'base64').toString();
  ca = data('certificate-authority-data');
  clientCertificate = { certificate: data('client-certificate-data'), key: data('client-key-data') };
  front = createServer((request, response) => {
    const passed = httpsRequest(server.url! + request.url, {
      method: request.method,
      headers: request.headers,
      ca,
      cert: clientCertificate.certificate,
      key: clientCertificate.key,
    });
    passed.on('response', (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      response.flushHeaders();
      answer.pipe(response);
      answer.on('error', () => response.destroy());
    });
    passed.on('error', () => response.destroy());
    response.on('close', () => passed.destroy());
    request.pipe(passed);
  });
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  frontUrl = `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
});
afterAll(async () => {
  front.closeAllConnections();
  front.close();
  await server.stop();
  await rm(directory, { recursive: true });
});

const asAdministrator = () => ({ current: async () => ({ clientCertificate }), refused: () => false });
const config = () => ({ server: server.url!, tls: { ca }, credentials: asAdministrator() });

describeTransport('in process', {
  newTransport: () => new InProcessTransport(server.transport({ username: 'me', groups: ['system:masters'] })),
});
describeTransport('HTTP/1.1', { newTransport: () => newTransport(config()) });
describeTransport('HTTP/2', {
  newTransport: () => newTransport(config(), new NodeTransport(config(), { httpVersion: '2' })),
});
describeTransport('plain HTTP', { newTransport: () => newTransport({ server: frontUrl }) });
describeTransport('fetch', {
  newTransport: () => newTransport({ server: frontUrl }, new FetchTransport({ server: frontUrl })),
});
