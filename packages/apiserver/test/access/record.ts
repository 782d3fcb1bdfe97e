/**
 * Records the responses of a real server to tokens and reviews: `npx tsx --conditions=coxswain-source
 * packages/apiserver/test/access/record.ts` with KUBE_APISERVER (the program) and ETCD (the address of etcd) set.
 */
import { spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { httpsCaller } from '../requests/caller.ts';
import { type Call, play, prepare } from './play.ts';
import { writeFiles } from './setup.ts';
import { TestIssuer } from './test-issuer.ts';

const directory = mkdtempSync(join(tmpdir(), 'access-'));
const port = process.env.PORT ?? '17901';
const issuer = await new TestIssuer().start();
prepare(issuer);
const files = await writeFiles(directory, issuer);
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
writeFileSync(join(directory, 'sa.key'), privateKey.export({ type: 'pkcs8', format: 'pem' }));
const server = spawn(
  process.env.KUBE_APISERVER ?? 'kube-apiserver',
  [
    `--etcd-servers=${process.env.ETCD ?? 'http://127.0.0.1:2379'}`,
    `--etcd-prefix=/access-${Date.now()}`,
    `--secure-port=${port}`,
    '--bind-address=127.0.0.1',
    `--cert-dir=${directory}/certs`,
    `--token-auth-file=${files.tokens}`,
    `--authentication-config=${files.authenticationConfig}`,
    `--authentication-token-webhook-config-file=${files.tokenWebhook}`,
    `--authorization-config=${files.authorizationConfig}`,
    '--api-audiences=kube',
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${directory}/sa.key`,
    `--service-account-signing-key-file=${directory}/sa.key`,
    '--service-cluster-ip-range=10.96.0.0/16',
  ],
  { stdio: ['ignore', 'ignore', process.env.VERBOSE ? 'inherit' : 'ignore'] },
);
const caller = httpsCaller(`https://127.0.0.1:${port}`);
const call: Call = async (method, url, token, body) => {
  const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
  const sent = { method, url, headers, ...(body !== undefined && { body: Buffer.from(JSON.stringify(body)) }) };
  const received = await caller(sent, AbortSignal.timeout(60_000));
  const chunks: Uint8Array[] = [];
  for await (const chunk of received.body) chunks.push(chunk);
  return { status: received.status, text: Buffer.concat(chunks).toString() };
};
try {
  for (let attempt = 0; attempt < 120; attempt++) {
    const ready = await call('GET', '/readyz', 'admin').catch(() => undefined);
    if (ready?.status === 200) break;
    await sleep(500);
  }
  const played = await play(call, issuer);
  writeFileSync(new URL('../recorded/access.json', import.meta.url), `${JSON.stringify(played, null, 2)}\n`);
} finally {
  server.kill();
  await issuer.close();
}
