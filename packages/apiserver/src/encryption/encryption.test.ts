import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GroupResource } from '@coxswain/apimachinery';
import { recordLogs } from '@coxswain/apimachinery/log';
import { type GrpcServer, listen, serve } from '@coxswain/grpc';
import { openMemoryStore, type Store } from '@coxswain/storage';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { asAdmin } from '../../test/hardening/clients.ts';
import { inProcessCaller } from '../../test/requests/caller.ts';
import { startTestServer, type TestServer } from '../../test/test-server.ts';
import { type Encryption, loadEncryption } from './encryption.ts';
import { keyManagementService } from './kms/messages.ts';

let directory: string;
const encryptions: Encryption[] = [];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'cox-encryption-'));
});
afterEach(async () => {
  for (const encryption of encryptions.splice(0)) encryption.close();
  await rm(directory, { recursive: true });
});

async function load(...resources: object[]): Promise<Encryption> {
  const file = join(directory, 'encryption.yaml');
  const configuration = { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'EncryptionConfiguration', resources };
  await writeFile(file, JSON.stringify(configuration));
  const encryption = await loadEncryption(file, {
    now: () => new Date(),
    uuid: randomUUID,
    logger: recordLogs({ onLine: (line) => expect.unreachable(line) }).logger,
  });
  encryptions.push(encryption);
  return encryption;
}

const aesgcm = (...names: string[]): object => ({
  aesgcm: {
    keys: names.map((name) => ({ name, secret: Buffer.from(name.repeat(32).slice(0, 32)).toString('base64') })),
  },
});
const stored = async (store: Store, key: string): Promise<string> =>
  Buffer.from((await store.get(key)).entry?.value ?? []).toString('latin1');

describe('encrypted resources', () => {
  it('are encrypted by the most specific rule', async () => {
    const encryption = await load(
      { resources: ['secrets'], providers: [aesgcm('one')] },
      { resources: ['*.apps'], providers: [aesgcm('apps')] },
      { resources: ['*.*'], providers: [aesgcm('rest')] },
    );
    const memory = openMemoryStore();
    for (const [group, resource] of [
      ['', 'secrets'],
      ['apps', 'deployments'],
      ['', 'pods'],
    ] as const) {
      const store = encryption.storeFor(GroupResource.of(group, resource), memory);
      await store.put(`/${resource}`, Buffer.from('x'), { expected: 0 });
    }
    expect(await stored(memory, '/secrets')).toMatch(/^k8s:enc:aesgcm:v1:one:/);
    expect(await stored(memory, '/deployments')).toMatch(/^k8s:enc:aesgcm:v1:apps:/);
    expect(await stored(memory, '/pods')).toMatch(/^k8s:enc:aesgcm:v1:rest:/);
    await memory.close();
  });

  it('are refused when an earlier rule masks them', async () => {
    const masked = load(
      { resources: ['*.*'], providers: [aesgcm('a')] },
      { resources: ['secrets'], providers: [aesgcm('b')] },
    );
    await expect(masked).rejects.toThrow('resource "secrets" is masked by earlier rule "*.*"');
  });
});

describe('a server that encrypts secrets', () => {
  const secrets = '/api/v1/namespaces/default/secrets';
  const key = '/registry/secrets/default/s';
  let running: TestServer;
  const call = async (method: string, url: string, body?: object): Promise<{ status: number; text: string }> => {
    const sent = { method, url, headers: asAdmin, body: Buffer.from(body ? JSON.stringify(body) : '') };
    const answer = await inProcessCaller(running.server.transport())(sent, new AbortController().signal);
    const chunks: Uint8Array[] = [];
    for await (const chunk of answer.body) chunks.push(chunk);
    return { status: answer.status, text: Buffer.concat(chunks).toString() };
  };
  /** Restarts the server with another configuration on the same store. */
  const restart = async (store: Store, encryption: Encryption): Promise<void> => {
    await running?.server.stop();
    running = await startTestServer({ store: unclosed(store) }, { encryption });
  };
  const secret = { metadata: { name: 's' }, stringData: { password: 'hunter2' } };

  it('stores no plaintext, rotates keys on update, and reports what it cannot decrypt', async () => {
    const store = openMemoryStore();
    await restart(store, await load({ resources: ['secrets'], providers: [aesgcm('one')] }));
    expect((await call('POST', secrets, secret)).status).toBe(201);
    const before = await stored(store, key);
    expect(before).toMatch(/^k8s:enc:aesgcm:v1:one:/);
    const { text } = await call('GET', `${secrets}/s`);
    expect(JSON.parse(text).data.password).toBe(Buffer.from('hunter2').toString('base64'));
    // An update without changes is not written while the key is the same.
    await call('PUT', `${secrets}/s`, JSON.parse(text));
    expect(await stored(store, key)).toBe(before);

    await restart(store, await load({ resources: ['secrets'], providers: [aesgcm('two', 'one')] }));
    await call('PUT', `${secrets}/s`, JSON.parse(text));
    expect(await stored(store, key)).toMatch(/^k8s:enc:aesgcm:v1:two:/);

    await restart(store, await load({ resources: ['secrets'], providers: [aesgcm('three')] }));
    for (const url of [`${secrets}/s`, secrets]) {
      const refused = await call('GET', url);
      expect(refused.status).toBe(500);
      expect(JSON.parse(refused.text).message).toBe(
        `Internal error occurred: unable to transform key ${JSON.stringify(key)}: no matching key was found for the provided AES transformer`,
      );
    }
    await running.server.stop();
    await store.close();
  });
});

/** Servers close their store when they stop, but this one is used by the next server. */
const unclosed = (store: Store): Store =>
  new Proxy(store, {
    get: (target, name) => {
      if (name === 'close') return async () => {};
      const value = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });

describe('a KMS plug-in at a Unix socket', () => {
  it('wraps the seeds, and is healthy while it responds', async () => {
    const socket = join(directory, 'kms.sock');
    const plugin = await startPlugin(socket);
    const kms = { apiVersion: 'v2', name: 'vault', endpoint: `unix://${socket}` };
    const encryption = await load({ resources: ['secrets'], providers: [{ kms }] });
    const memory = openMemoryStore();
    const store = encryption.storeFor(GroupResource.of('', 'secrets'), memory);
    await store.put('/s', Buffer.from('hunter2'), { expected: 0 });
    expect(await stored(memory, '/s')).toMatch(/^k8s:enc:kms:v2:vault:/);
    await encryption.healthCheck!.check();
    const again = (await load({ resources: ['secrets'], providers: [{ kms }] })).storeFor(
      GroupResource.of('', 'secrets'),
      memory,
    );
    expect(Buffer.from((await again.get('/s')).entry!.value).toString()).toBe('hunter2');
    await memory.close();
    await plugin.close(0);
  });
});

/** A plug-in that encrypts by inverting every bit. */
function startPlugin(socket: string): Promise<GrpcServer> {
  const turned = (bytes: Uint8Array): Uint8Array => bytes.map((byte) => byte ^ 0xff);
  const plugin = serve(keyManagementService, {
    status: async () => ({ version: 'v2', healthz: 'ok', keyId: '1' }),
    encrypt: async ({ plaintext }) => ({ ciphertext: turned(plaintext), keyId: '1' }),
    decrypt: async ({ ciphertext }) => ({ plaintext: turned(ciphertext) }),
  });
  return listen(`unix://${socket}`, [plugin]);
}
