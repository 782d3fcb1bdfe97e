import { createHash } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Readable } from 'node:stream';
import { Authorizer } from './authorizer.ts';
import { credentialsFor, type RegistryAuth, registryTokenFor } from './credentials.ts';
import type { HttpClient, HttpResponse } from './http-client.ts';
import { readBody, registryMessage } from './read-body.ts';
import { RegistryError } from './registry-error.ts';
import type { RegistryCapability, RegistryHost } from './registry-host.ts';

export interface RepositoryOptions {
  readonly http: HttpClient;
  /** As in images' names: `docker.io`. */
  readonly registry: string;
  /** As `library/nginx`. */
  readonly path: string;
  /** In the order in which they are asked. */
  readonly hosts: readonly RegistryHost[];
  readonly auth?: RegistryAuth | undefined;
  readonly maxManifestBytes: number;
}

export interface Manifest {
  readonly digest: string;
  readonly mediaType: string;
  readonly content: Buffer;
}

export interface BlobPart {
  /** Where the bytes begin: where they were asked for, or 0 if the server sends everything. */
  readonly offset: number;
  readonly body: Readable;
}

const accept = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.docker.distribution.manifest.v2+json',
  '*/*',
].join(', ');

/** The images of one name in a registry, by the OCI distribution protocol. Each request goes to the servers in turn until one answers it. */
export class Repository {
  readonly #options: RepositoryOptions;
  readonly #authorizers = new Map<RegistryHost, Authorizer>();

  constructor(options: RepositoryOptions) {
    this.#options = options;
  }

  /** Returns the digest that a tag has now, without its manifest if the server tells it so: that counts less towards limits of registries. */
  async resolve(tag: string, signal?: AbortSignal): Promise<{ readonly digest: string; readonly manifest?: Manifest }> {
    return await this.#first('resolve', signal, async (host) => {
      const head = await this.#request(host, `manifests/${tag}`, {
        method: 'HEAD',
        headers: { Accept: accept },
        signal,
      });
      head.body.destroy();
      const digest = head.headers['docker-content-digest'];
      if (typeof digest === 'string' && isDigest(digest)) return { digest };
      const manifest = await this.#manifest(host, tag, signal);
      return { digest: manifest.digest, manifest };
    });
  }

  /** Returns a manifest or index, which has the digest. */
  async manifest(digest: string, signal?: AbortSignal): Promise<Manifest> {
    return await this.#first('pull', signal, (host) => this.#manifest(host, digest, signal));
  }

  /** Returns a blob from a position on. The bytes are not verified. */
  async blob(digest: string, offset: number, signal?: AbortSignal): Promise<BlobPart> {
    const headers: Record<string, string> = offset > 0 ? { Range: `bytes=${offset}-` } : {};
    return await this.#first('pull', signal, async (host) => {
      const {
        status,
        headers: received,
        body,
      } = await this.#request(host, `blobs/${digest}`, { method: 'GET', headers, signal });
      if (status !== 206) return { offset: 0, body };
      const [, start] = /^bytes (\d+)-/.exec(received['content-range'] ?? '') ?? [];
      if (Number(start) === offset) return { offset, body };
      body.destroy();
      throw new RegistryError('invalid', `the registry sent another part of ${digest} than was asked for`);
    });
  }

  async #manifest(host: RegistryHost, reference: string, signal: AbortSignal | undefined): Promise<Manifest> {
    const { headers, body } = await this.#request(host, `manifests/${reference}`, {
      method: 'GET',
      headers: { Accept: accept },
      signal,
    });
    const content = await readBody(body, this.#options.maxManifestBytes, `the manifest ${reference}`);
    const digest = `sha256:${createHash('sha256').update(content).digest('hex')}`;
    const expected = isDigest(reference) ? reference : headers['docker-content-digest'];
    if (typeof expected === 'string' && expected.startsWith('sha256:') && expected !== digest) {
      throw new RegistryError('invalid', `unexpected digest of the manifest: ${digest}, expected ${expected}`);
    }
    return { digest, mediaType: (headers['content-type'] ?? '').split(';')[0]!.trim(), content };
  }

  /** Asks the servers in turn. The error is that of the last: the registry itself. */
  async #first<T>(
    capability: RegistryCapability,
    signal: AbortSignal | undefined,
    ask: (host: RegistryHost) => Promise<T>,
  ): Promise<T> {
    const hosts = this.#options.hosts.filter(({ capabilities }) => capabilities.has(capability));
    let failure = new RegistryError(
      'unavailable',
      `no ${capability} host of the registry ${this.#options.registry} is configured`,
    );
    for (const host of hosts) {
      try {
        return await ask(host);
      } catch (error) {
        signal?.throwIfAborted();
        if (!(error instanceof RegistryError)) throw error;
        failure = error;
      }
    }
    throw failure;
  }

  async #request(
    host: RegistryHost,
    path: string,
    request: {
      readonly method: 'GET' | 'HEAD';
      readonly headers: Readonly<Record<string, string>>;
      readonly signal: AbortSignal | undefined;
    },
  ): Promise<HttpResponse> {
    const { http, registry } = this.#options;
    const url = new URL(host.url);
    url.pathname = `${url.pathname}/${this.#options.path}/${path}`;
    if (host.isMirror) url.searchParams.set('ns', registry);
    const authorizer = this.#authorizer(host);
    // One answer to the first challenge, and one more for a token that expired meanwhile.
    for (let tries = 0; ; tries++) {
      const { header } = authorizer;
      const headers = { ...host.headers, ...request.headers, ...(header !== undefined && { Authorization: header }) };
      const { tls, allowsHttp } = host;
      const response = await http.send({ ...request, url, headers, tls, allowsHttp });
      if (response.status === 401 && tries < 2) await authorizer.answer(response, header, request.signal);
      else if (response.status === 200 || response.status === 206) return response;
      else throw await this.#refusal(request.method, url, response);
    }
  }

  async #refusal(method: string, url: URL, { status, body }: HttpResponse): Promise<RegistryError> {
    const words = method === 'HEAD' ? '' : await registryMessage(body);
    body.destroy();
    if (status === 404) return new RegistryError('notFound', 'not found');
    if (status === 401) {
      const message = words === '' ? 'authorization failed' : `server message: ${words}`;
      return new RegistryError(
        'unauthorized',
        `pull access denied, repository does not exist or may require authorization: ${message}`,
      );
    }
    const shown = `unexpected status from ${method} request to ${url}: ${status} ${STATUS_CODES[status] ?? ''}`;
    const reason = status === 403 ? 'unauthorized' : 'unavailable';
    return new RegistryError(reason, words === '' ? shown : `${shown}: ${words}`);
  }

  #authorizer(host: RegistryHost): Authorizer {
    const known = this.#authorizers.get(host);
    if (known) return known;
    const { http, auth, path } = this.#options;
    const authorizer = new Authorizer({
      http,
      credentials: credentialsFor(auth, host.url.host),
      registryToken: registryTokenFor(auth, host.url.host),
      scope: `repository:${path}:pull`,
      connection: { tls: host.tls, allowsHttp: host.allowsHttp },
    });
    this.#authorizers.set(host, authorizer);
    return authorizer;
  }
}

/** Only these can be verified here. */
export const isDigest = (text: string): boolean => /^sha256:[0-9a-f]{64}$/.test(text);
