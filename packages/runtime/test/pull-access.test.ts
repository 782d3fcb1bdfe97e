import { createPrivateKey, randomBytes, sign, X509Certificate } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { archiveOf, unpackProblem } from '../src/layers/archives.test-data.ts';
import { type Images, type OpenImagesOptions, openImages } from '../src/open-images.ts';
import {
  type DockerRegistry,
  freePort,
  makeCertificates,
  registryProblem,
  startDockerRegistry,
} from './docker-registry.ts';
import { startScriptedRegistry } from './scripted-registry.ts';
import { type TestImage, testImage } from './test-image.ts';

const problem = unpackProblem ?? (await registryProblem());
if (problem) console.warn(`SKIPPED: registries with passwords, tokens, TLS and mirrors. ${problem}`);

describe.skipIf(problem)('a registry', () => {
  let scratch: string;
  let images: Images;
  let image: TestImage;
  const closing: (() => Promise<unknown>)[] = [];
  const open = async (options: Partial<OpenImagesOptions> = {}): Promise<void> => {
    await images?.close();
    images = await openImages({ root: join(scratch, 'images'), ...options });
  };
  const hosts = async (registry: string, text: string): Promise<void> => {
    const directory = join(scratch, 'certs.d', registry);
    await mkdir(directory, { recursive: true });
    await writeFile(join(directory, 'hosts.toml'), text);
    await open({ directories: [join(scratch, 'certs.d')] });
  };
  const start = async (options: Parameters<typeof startDockerRegistry>[0] = {}): Promise<DockerRegistry> => {
    const registry = await startDockerRegistry(options);
    closing.push(() => registry.close());
    return registry;
  };
  beforeEach(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'cox-access-'));
    await open();
    image = testImage({ layers: [await archiveOf([{ path: 'file', content: 'content' }])] });
  });
  afterEach(async () => {
    await images.close();
    for (const close of closing.splice(0)) await close();
    await rm(scratch, { recursive: true });
  });

  it('with passwords gives images to those who have one', async () => {
    const htpasswd = join(scratch, 'htpasswd');
    // Of the password "hush".
    await writeFile(htpasswd, 'team:$2b$04$uoddu1v1N320Mbh4RzEYt.sZoTQ9CZilgRKk/r1Y2G9q.PwV2amYq\n');
    const basic = (password: string): string => Buffer.from(`team:${password}`).toString('base64');
    const registry = await start({
      auth: `htpasswd: {realm: r, path: ${htpasswd}}`,
      authorization: () => `Basic ${basic('hush')}`,
    });
    await registry.push('team/web', '1', image);
    const name = `${registry.host}/team/web:1`;
    await expect(images.store.pull(name)).rejects.toMatchObject({
      reason: 'unauthorized',
      message: `failed to pull and unpack image "${name}": failed to resolve reference "${name}": pull access denied, repository does not exist or may require authorization: authorization failed: no basic auth credentials`,
    });
    for (const auth of [
      { username: 'team', password: 'wrong' },
      { username: 'team', password: 'hush', serverAddress: 'registry.example' },
    ]) {
      await expect(images.store.pull(name, { auth })).rejects.toMatchObject({ reason: 'unauthorized' });
    }
    for (const auth of [
      { username: 'team', password: 'hush' },
      { auth: basic('hush'), serverAddress: `https://${registry.host}/v1/` },
    ]) {
      expect((await images.store.pull(name, { auth })).id).toBe(image.id);
      await images.store.remove(name);
    }
    // Layers that are here give nobody an image.
    await images.store.pull(name, { auth: { username: 'team', password: 'hush' } });
    await expect(images.store.pull(name)).rejects.toMatchObject({ reason: 'unauthorized' });
  });

  it('with a token server gives images to those who have a token', async () => {
    const keys = join(scratch, 'keys');
    await mkdir(keys);
    await makeCertificates(keys);
    const server = await tokenServer(
      keys,
      (authorization, body) =>
        authorization === `Basic ${Buffer.from('team:hush').toString('base64')}` ||
        body.get('refresh_token') === 'identity',
    );
    closing.push(() => server.close());
    const registry = await start({
      auth: `token: {realm: "${server.realm}", service: registry, issuer: tests, rootcertbundle: ${keys}/ca.crt}`,
      authorization: () => `Bearer ${server.token('team/web', ['pull', 'push'])}`,
    });
    await registry.push('team/web', '1', image);
    const name = `${registry.host}/team/web:1`;
    await expect(images.store.pull(name)).rejects.toMatchObject({ reason: 'unauthorized' });
    expect(server.scopes.at(-1)).toBe('repository:team/web:pull');
    await expect(images.store.pull(name, { auth: { username: 'team', password: 'wrong' } })).rejects.toThrow(
      /pull access denied/,
    );
    const good = [
      { username: 'team', password: 'hush' },
      { identityToken: 'identity' },
      { registryToken: server.token('team/web', ['pull']) },
    ];
    for (const auth of good) {
      expect((await images.store.pull(name, { auth })).id, JSON.stringify(Object.keys(auth))).toBe(image.id);
      await images.store.remove(name);
    }
    server.isBroken = true;
    await expect(images.store.pull(name, { auth: good[0]! })).rejects.toThrow(
      `failed to resolve reference "${name}": failed to authorize: failed to fetch oauth token: unexpected status from GET request to ${server.realm}`,
    );
  });

  it('with TLS is trusted if its authority is configured, or it is insecure by name', async () => {
    const registry = await start({ tls: true });
    await registry.push('web', '1', image);
    const name = `${registry.host}/web:1`;
    await expect(images.store.pull(name)).rejects.toThrow(
      /tls: failed to verify certificate: x509: certificate signed by unknown authority/,
    );
    await hosts(registry.host, `server = "https://${registry.host}"\nca = "${registry.caFile}"\n`);
    expect((await images.store.pull(name)).id).toBe(image.id);
    await images.store.remove(name);
    await rm(join(scratch, 'certs.d', registry.host, 'hosts.toml'));
    await writeFile(join(scratch, 'certs.d', registry.host, 'ca.crt'), await readFile(registry.caFile));
    expect((await images.store.pull(name)).id).toBe(image.id);
    await images.store.remove(name);
    await open({ insecureRegistries: [registry.host] });
    expect((await images.store.pull(name)).id).toBe(image.id);
  });

  it('has mirrors, which are asked first, and itself if they fail or lack the image', async () => {
    const registry = await start();
    await registry.push('team/web', '1', image);
    const mirror = await startScriptedRegistry();
    closing.push(() => mirror.close());
    const dead = `127.0.0.1:${await freePort()}`;
    const config = `server = "http://${registry.host}"
[host."http://${dead}"]
[host."http://${mirror.host}/cache"]
  capabilities = ["pull", "resolve"]
  [host."http://${mirror.host}/cache".header]
    x-for = ["tests"]
`;
    await hosts('registry.example', config);
    const name = 'registry.example/team/web:1';
    const seen: string[] = [];
    mirror.script = (request) => {
      seen.push(`${request.url} ${request.headers['x-for']}`);
      return false;
    };
    expect((await images.store.pull(name)).repoTags).toEqual([name]);
    expect(seen[0]).toBe('/cache/v2/team/web/manifests/1?ns=registry.example tests');
    await images.store.remove(name);
    mirror.add('1', image);
    seen.length = 0;
    await images.store.pull(name);
    expect(seen.some((it) => it.startsWith('/cache/v2/team/web/blobs/'))).toBe(true);
    await expect(images.store.pull('registry.example/team/none:2')).rejects.toThrow(
      'failed to pull and unpack image "registry.example/team/none:2": failed to resolve reference "registry.example/team/none:2": registry.example/team/none:2: not found',
    );
    await hosts('_default', 'server = 7');
    await expect(images.store.pull('other.example/web')).rejects.toThrow(
      /cannot use .*hosts.toml: server must be a string/,
    );
  });

  it('that nobody answers for is named as in Go', async () => {
    const host = `127.0.0.1:${await freePort()}`;
    await expect(images.store.pull(`${host}/web`)).rejects.toMatchObject({
      reason: 'unavailable',
      message: `failed to pull and unpack image "${host}/web:latest": failed to resolve reference "${host}/web:latest": failed to do request: Head "https://${host}/v2/web/manifests/latest": dial tcp ${host}: connect: connection refused`,
    });
  });

  it('gives twenty images at once, which share layers', async () => {
    const registry = await start();
    const base = await archiveOf([{ path: 'base', content: randomBytes(400_000) }]);
    const all = await Promise.all(
      Array.from({ length: 20 }, async (_, at) =>
        testImage({ layers: [base, await archiveOf([{ path: `f${at}`, content: randomBytes(50_000) }])] }),
      ),
    );
    for (const [at, each] of all.entries()) await registry.push('web', String(at), each);
    const pulled = await Promise.all(all.map((_, at) => images.store.pull(`${registry.host}/web:${at}`)));
    expect(pulled.map(({ id }) => id)).toEqual(all.map(({ id }) => id));
    expect(images.store.list()).toHaveLength(20);
    const { path } = await images.roots.make('c', all[7]!.id);
    expect((await readFile(join(path, 'base'))).length).toBe(400_000);
    await images.roots.remove('c');
    await Promise.all(all.map((_, at) => images.store.remove(`${registry.host}/web:${at}`)));
    expect(images.store.usage()).toEqual({ usedBytes: 0, inodesUsed: 0 });
  });
});

interface TokenServer {
  readonly realm: string;
  readonly scopes: string[];
  isBroken: boolean;
  token(repository: string, actions: readonly string[]): string;
  close(): Promise<void>;
}

/** Gives tokens for pulling to those who may have them, and empty ones to others, as Docker Hub does. */
async function tokenServer(
  keys: string,
  isAllowed: (authorization: string | undefined, form: URLSearchParams) => boolean,
): Promise<TokenServer> {
  const key = createPrivateKey(await readFile(join(keys, 'server.key')));
  const certificate = new X509Certificate(await readFile(join(keys, 'server.crt'))).raw.toString('base64');
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const tokenFor = (access: readonly object[]): string => {
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      iss: 'tests',
      aud: 'registry',
      sub: 'me',
      exp: now + 300,
      nbf: now - 10,
      iat: now,
      jti: String(now),
      access,
    };
    const text = `${encode({ typ: 'JWT', alg: 'ES256', x5c: [certificate] })}.${encode(claims)}`;
    return `${text}.${sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
  };
  const token = (name: string, actions: readonly string[]): string => tokenFor([{ type: 'repository', name, actions }]);
  const server: Server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const form = new URLSearchParams(Buffer.concat(parts).toString('utf8'));
    const url = new URL(request.url ?? '', 'http://localhost');
    const scope = url.searchParams.get('scope') ?? form.get('scope') ?? '';
    result.scopes.push(scope);
    if (result.isBroken) return response.writeHead(503).end();
    const [, name = ''] = /^repository:(.*):pull$/.exec(scope) ?? [];
    const granted = isAllowed(request.headers.authorization, form) ? token(name, ['pull']) : tokenFor([]);
    return response
      .writeHead(200, { 'Content-Type': 'application/json' })
      .end(JSON.stringify({ access_token: granted, expires_in: 300 }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const result: TokenServer = {
    realm: `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`,
    scopes: [],
    isBroken: false,
    token,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return result;
}
