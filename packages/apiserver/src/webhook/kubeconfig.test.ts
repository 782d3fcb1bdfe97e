import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { credentialsFrom, readKubeconfig, webhookFromKubeconfig } from './index.ts';
import { authority, base64, TestServer } from './tls-server.test-data.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'webhook-'));
});
afterAll(() => rm(directory, { recursive: true }));

async function written(config: unknown, name = 'config'): Promise<string> {
  const file = join(directory, name);
  await writeFile(file, typeof config === 'string' ? config : JSON.stringify(config));
  return file;
}

const users = (...names: string[]) => names.map((name) => ({ name, user: { token: name } }));

describe('credentials', () => {
  it.each([
    ['webhook.ns.svc:8443', 'webhook.ns.svc:8443'],
    ['webhook.ns.svc:443', 'webhook.ns.svc'],
    ['other.ns.svc:443', '*.ns.svc'],
    ['other.ns.svc:8443', 'current'],
    ['other.other.svc:443', '*.svc'],
    ['example.com:443', 'current'],
  ])('for %s are those of %s', async (server, name) => {
    const config = await readKubeconfig(
      await written({
        users: users('webhook.ns.svc:8443', 'webhook.ns.svc', '*.ns.svc', '*.svc', 'current'),
        contexts: [{ name: 'c', context: { user: 'current' } }],
        'current-context': 'c',
      }),
    );
    expect(credentialsFrom(config)(server)).toEqual({ token: name });
  });

  it('for other servers are those of *, or none', async () => {
    expect(credentialsFrom(await readKubeconfig(await written({ users: users('*') })))('x:1')).toEqual({ token: '*' });
    expect(credentialsFrom(await readKubeconfig(await written({})))('x:1')).toEqual({});
  });
});

describe('a kubeconfig', () => {
  it('may name files by relative paths', async () => {
    await written(' secret\n', 'token');
    await written('CERT', 'cert.pem');
    const user = { tokenFile: 'token', 'client-certificate': 'cert.pem', 'client-key-data': base64('KEY') };
    const { users: found } = await readKubeconfig(await written({ users: [{ name: 'u', user }] }));
    expect(found.get('u')).toEqual({ token: 'secret', clientCertificate: { cert: 'CERT', key: 'KEY' } });
  });

  it.each([
    ['with an exec plugin', { users: [{ name: 'u', user: { exec: {} } }] }, 'user u: exec is not supported here'],
    [
      'with a client key but no certificate',
      { users: [{ name: 'u', user: { 'client-key-data': base64('SECRET') } }] },
      'user u: a client certificate needs its key, and a key its certificate',
    ],
  ])('%s is refused', async (_, config, problem) => {
    const file = await written(config);
    await expect(readKubeconfig(file)).rejects.toThrow(new Error(`${file}: ${problem}`));
  });

  it.each([
    ['- a', 'json: cannot unmarshal array into Go value of type struct'],
    ['kind: Secret', 'no kind "Secret" is registered for version "v1"'],
    ['users: [{name: u, user: {token: 1}}]', 'json: cannot unmarshal number into Go struct field'],
  ])("is refused with clientcmd's message when it is %s", async (text, problem) => {
    const file = await written(text);
    await expect(readKubeconfig(file)).rejects.toThrow(`error loading config file "${file}": `);
    await expect(readKubeconfig(file)).rejects.toThrow(problem);
  });

  it('must exist', async () => {
    const file = join(directory, 'missing');
    await expect(readKubeconfig(file)).rejects.toThrow(`stat ${file}: no such file or directory`);
  });

  it('is used to call its server', async () => {
    const server = await TestServer.https((request, response) => {
      response.end(JSON.stringify({ url: request.url, authorization: request.headers.authorization }));
    }).start();
    const cluster = {
      server: `https://127.0.0.1:${server.port}/a`,
      'certificate-authority-data': base64(authority.certificatePem),
    };
    const file = await written({
      clusters: [{ name: 'c', cluster }],
      users: [{ name: 'u', user: { username: 'me', password: 'pass' } }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'x',
    });
    const webhook = await webhookFromKubeconfig(file, { userAgent: 'test', now: () => new Date() });
    const authorization = `Basic ${base64('me:pass')}`;
    expect(await webhook.call({}, { timeoutMs: 5_000 })).toEqual({ url: '/a?timeout=5s', authorization });
    webhook.close();
    await server.close();
  });

  it('must have a cluster in the current context', async () => {
    const file = await written({});
    const options = { userAgent: 'test', now: () => new Date() };
    await expect(webhookFromKubeconfig(file, options)).rejects.toThrow('there is no cluster in the current context');
  });
});
