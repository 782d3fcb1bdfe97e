import { STATUS_CODES } from 'node:http';
import { parseChallenges } from './challenge.ts';
import type { Credentials } from './credentials.ts';
import type { HttpClient, HttpRequest, HttpResponse } from './http-client.ts';
import { readBody } from './read-body.ts';
import { RegistryError } from './registry-error.ts';

const maxTokenBytes = 2 ** 20;
const clientId = 'coxswain';

export interface AuthorizerOptions {
  readonly http: HttpClient;
  readonly credentials: Credentials | undefined;
  /** Sent as a bearer token without asking a token server. */
  readonly registryToken: string | undefined;
  /** What is asked for if the registry does not say, as `repository:library/nginx:pull`. */
  readonly scope: string;
  /** Of the registry, and used for its token server too. */
  readonly connection: Pick<HttpRequest, 'tls' | 'allowsHttp'>;
}

/** The authorization of requests to one server for one repository. It answers challenges by Basic, or by tokens of a token server. */
export class Authorizer {
  readonly #options: AuthorizerOptions;
  #header: string | undefined;
  #fetching: Promise<string> | undefined;

  constructor(options: AuthorizerOptions) {
    this.#options = options;
    if (options.registryToken !== undefined) this.#header = `Bearer ${options.registryToken}`;
  }

  /** The value of the header `Authorization`; undefined as long as the server has not asked for one. */
  get header(): string | undefined {
    return this.#header;
  }

  /**
   * Answers a 401. `used` is the header of the request that got it. Rejects with a `RegistryError` if there is no answer, or if the answer
   * was the same before.
   */
  async answer(response: HttpResponse, used: string | undefined, signal?: AbortSignal): Promise<void> {
    response.body.destroy();
    if (used !== this.#header) return;
    const challenges = parseChallenges(response.headers['www-authenticate']);
    const bearer = challenges.find(({ scheme }) => scheme === 'bearer');
    if (bearer) {
      const error = bearer.parameters.error;
      // A token that expired is replaced; one that is not enough stays as it is.
      const isRefused =
        this.#options.registryToken !== undefined || (used !== undefined && error === 'insufficient_scope');
      if (isRefused) throw denied(`server message: ${error ?? 'invalid_token'}: authorization failed`);
      this.#fetching ??= this.#fetchToken(bearer.parameters, signal).finally(() => {
        this.#fetching = undefined;
      });
      this.#header = `Bearer ${await this.#fetching}`;
      return;
    }
    const basic = challenges.find(({ scheme }) => scheme === 'basic');
    const { credentials } = this.#options;
    if (!basic || !credentials?.username) throw denied('authorization failed: no basic auth credentials');
    const header = `Basic ${Buffer.from(`${credentials.username}:${credentials.secret}`).toString('base64')}`;
    if (header === used) throw denied('authorization failed');
    this.#header = header;
  }

  async #fetchToken(parameters: Readonly<Record<string, string>>, signal: AbortSignal | undefined): Promise<string> {
    const { credentials, http, connection, scope } = this.#options;
    const { realm = '', service = '' } = parameters;
    const kind = credentials ? 'oauth' : 'anonymous';
    const failed = (words: string, cause?: unknown): RegistryError =>
      new RegistryError(
        cause instanceof RegistryError ? cause.reason : 'unauthorized',
        `failed to authorize: failed to fetch ${kind} token: ${words}`,
        { cause },
      );
    if (!URL.canParse(realm) || !/^https?:$/.test(new URL(realm).protocol))
      throw failed(`invalid realm ${JSON.stringify(realm)}`);
    const request = tokenRequest(new URL(realm), service, parameters.scope ?? scope, credentials);
    try {
      const response = await http.send({ ...request, ...connection, signal });
      if (response.status !== 200) {
        response.body.destroy();
        throw failed(
          `unexpected status from ${request.method} request to ${request.url}: ${response.status} ${STATUS_CODES[response.status] ?? ''}`,
        );
      }
      const body = await readBody(response.body, maxTokenBytes, 'the token');
      return tokenOf(JSON.parse(body.toString('utf8')));
    } catch (error) {
      if (signal?.aborted || (error instanceof RegistryError && error.message.startsWith('failed to authorize')))
        throw error;
      throw failed((error as Error).message, error);
    }
  }
}

function tokenRequest(realm: URL, service: string, scope: string, credentials: Credentials | undefined): HttpRequest {
  if (credentials && credentials.username === '') {
    const form = new URLSearchParams({
      grant_type: 'refresh_token',
      service,
      client_id: clientId,
      scope,
      refresh_token: credentials.secret,
    });
    return {
      method: 'POST',
      url: realm,
      headers: { 'Content-Type': 'application/x-www-form-urlencoded; charset=utf-8' },
      body: form.toString(),
    };
  }
  const url = new URL(realm);
  if (service !== '') url.searchParams.set('service', service);
  // Several scopes are several parameters.
  url.searchParams.delete('scope');
  for (const each of scope.split(' ')) url.searchParams.append('scope', each);
  if (!credentials) return { method: 'GET', url };
  const basic = Buffer.from(`${credentials.username}:${credentials.secret}`).toString('base64');
  return { method: 'GET', url, headers: { Authorization: `Basic ${basic}` } };
}

function tokenOf(answer: unknown): string {
  if (typeof answer === 'object' && answer !== null) {
    for (const [name, value] of Object.entries(answer)) {
      if ((name === 'token' || name === 'access_token') && typeof value === 'string' && /^[\x21-\x7e]+$/.test(value))
        return value;
    }
  }
  throw new Error('authorization server did not include a token in the response');
}

const denied = (words: string): RegistryError =>
  new RegistryError(
    'unauthorized',
    `pull access denied, repository does not exist or may require authorization: ${words}`,
  );
