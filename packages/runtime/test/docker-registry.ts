import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { access, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { TestImage } from './test-image.ts';

const run = promisify(execFile);
const program = '/usr/bin/docker-registry';

/** Why no registry can be started here; undefined if one can. */
export async function registryProblem(): Promise<string | undefined> {
  return await access(program).then(
    () => undefined,
    () => `${program} is missing (Debian: apt-get install docker-registry)`,
  );
}

export interface RegistryOptions {
  /** YAML below `auth:`. */
  readonly auth?: string;
  /** Serves TLS with a certificate of an authority of its own. */
  readonly tls?: boolean;
  /** The value of the header `Authorization` for pushing. */
  readonly authorization?: () => string;
}

export interface DockerRegistry {
  /** As `127.0.0.1:5000`. */
  readonly host: string;
  readonly directory: string;
  /** The path of the authority's certificate, with TLS. */
  readonly caFile: string;
  /** Uploads an image and returns the digest of its manifest. */
  push(repository: string, tag: string, image: TestImage): Promise<string>;
  close(): Promise<void>;
}

/** Debian's registry on loopback, with its images in a directory of its own. */
export async function startDockerRegistry(options: RegistryOptions = {}): Promise<DockerRegistry> {
  const directory = await mkdtemp(join(tmpdir(), 'cox-registry-'));
  const port = await freePort();
  const host = `127.0.0.1:${port}`;
  const caFile = join(directory, 'ca.crt');
  if (options.tls) await makeCertificates(directory);
  const tls = options.tls ? `\n  tls: {certificate: ${directory}/server.crt, key: ${directory}/server.key}` : '';
  const auth = options.auth === undefined ? '' : `auth:\n${options.auth.replace(/^/gm, '  ')}\n`;
  const config = `version: 0.1
log: {level: error}
storage:
  filesystem: {rootdirectory: ${directory}/data}
http:
  addr: ${host}${tls}
${auth}`;
  await writeFile(join(directory, 'config.yml'), config);
  const child = spawn(program, ['serve', join(directory, 'config.yml')], {
    stdio: 'ignore',
    env: { ...process.env, OTEL_TRACES_EXPORTER: 'none' },
  });
  const ca = options.tls ? await readFile(caFile, 'utf8') : undefined;
  const send = (method: string, url: URL, body?: Buffer, headers: Record<string, string> = {}) =>
    sendTo(method, url, {
      body,
      ca,
      headers: { ...headers, ...(options.authorization && { Authorization: options.authorization() }) },
    });
  const base = new URL(`${options.tls ? 'https' : 'http'}://${host}/v2/`);
  try {
    await untilAnswers(child, () => send('GET', base));
  } catch (error) {
    await end(child);
    throw error;
  }
  const uploadBlob = async (repository: string, digest: string, content: Buffer): Promise<void> => {
    const started = await send('POST', new URL(`${repository}/blobs/uploads/`, base));
    const place = new URL(started.location, base);
    place.searchParams.set('digest', digest);
    const ended = await send('PUT', place, content, { 'Content-Type': 'application/octet-stream' });
    if (ended.status !== 201) throw new Error(`upload of a blob: ${ended.status} ${ended.body}`);
  };
  return {
    host,
    directory,
    caFile,
    async push(repository, tag, image) {
      for (const [digest, content] of image.blobs) await uploadBlob(repository, digest, content);
      for (const { digest, mediaType, content } of image.manifests) {
        const isLast = digest === image.manifests.at(-1)?.digest;
        const url = new URL(`${repository}/manifests/${isLast ? tag : digest}`, base);
        const { status, body } = await send('PUT', url, content, { 'Content-Type': mediaType });
        if (status !== 201) throw new Error(`upload of a manifest: ${status} ${body}`);
      }
      return image.manifests.at(-1)!.digest;
    },
    async close() {
      await end(child);
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
}

async function untilAnswers(child: ChildProcess, ask: () => Promise<unknown>): Promise<void> {
  for (let tries = 0; ; tries++) {
    const isUp = await ask().then(
      () => true,
      () => false,
    );
    if (isUp) return;
    if (child.exitCode !== null || tries > 400) throw new Error('the registry did not start');
    await delay(25);
  }
}

interface Answer {
  readonly status: number;
  readonly location: string;
  readonly body: string;
}

function sendTo(
  method: string,
  url: URL,
  { body, ca, headers }: { body: Buffer | undefined; ca: string | undefined; headers: Record<string, string> },
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = { method, headers: { ...headers, 'Content-Length': String(body?.length ?? 0) } };
    const sent = url.protocol === 'https:' ? requestHttps(url, { ...options, ca }) : requestHttp(url, options);
    sent.on('error', reject);
    sent.on('response', (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('error', reject);
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          location: response.headers.location ?? '',
          body: Buffer.concat(parts).toString('utf8'),
        }),
      );
    });
    sent.end(body);
  });
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

/** An authority, and a certificate for 127.0.0.1 with its key. */
export async function makeCertificates(directory: string): Promise<void> {
  const at = (name: string): string => join(directory, name);
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  await run('openssl', [
    'req',
    '-x509',
    ...key,
    '-subj',
    '/CN=authority',
    '-days',
    '2',
    '-keyout',
    at('ca.key'),
    '-out',
    at('ca.crt'),
  ]);
  await run('openssl', ['req', ...key, '-subj', '/CN=server', '-keyout', at('server.key'), '-out', at('server.csr')]);
  await writeFile(at('server.ext'), 'subjectAltName=IP:127.0.0.1\n');
  const issue = [
    '-CA',
    at('ca.crt'),
    '-CAkey',
    at('ca.key'),
    '-CAcreateserial',
    '-days',
    '2',
    '-extfile',
    at('server.ext'),
  ];
  await run('openssl', ['x509', '-req', '-in', at('server.csr'), ...issue, '-out', at('server.crt')]);
}
