/** A TLS server with HTTP/2 that only answers: every GET with the same object, every write with a short one. */
import { createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { issueKeyPair } from '@coxswain/client/x509';
import { typicalPod } from '../typical-pod.ts';

const object = Buffer.from(JSON.stringify(typicalPod));
const short = Buffer.from('{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success"}');
const now = Date.now();
const { certificatePem, keyPem } = issueKeyPair({
  commonName: 'localhost',
  ipAddresses: ['127.0.0.1'],
  usages: ['serverAuth'],
  notBefore: new Date(now - 60_000),
  notAfter: new Date(now + 24 * 3600 * 1000),
});
const server = createSecureServer({ cert: certificatePem, key: keyPem });
server.on('stream', (stream, headers) => {
  stream.on('error', () => {});
  const body = headers[':method'] === 'GET' ? object : short;
  const answer = (): void => {
    stream.respond({
      ':status': 200,
      'audit-id': '8f1c1f6e-6d0c-4a55-9a7a-3f2d7b1f0a11',
      'cache-control': 'no-cache, private',
      'content-type': 'application/json',
      'content-length': body.length,
    });
    stream.end(body);
  };
  if (headers[':method'] === 'GET') answer();
  else stream.on('end', answer).resume();
});
server.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port));
process.once('disconnect', () => process.exit());
