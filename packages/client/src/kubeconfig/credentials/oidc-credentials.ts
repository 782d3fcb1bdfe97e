import { readFile } from 'node:fs/promises';
import { type Clock, systemClock } from '@coxswain/apimachinery/clock';
import { messageOf } from '@coxswain/apimachinery/errors';
import { unverifiedClaims } from '@coxswain/apimachinery/jwt';
import type { Credential, Credentials } from '../../config/rest-config.ts';
import { secretCredential } from './secret-credential.ts';
import { SharedCall } from './shared-call.ts';
import { type SmallRequest, smallRequest } from './small-request.ts';

/** The `config` of an auth provider in a kubeconfig. */
type ProviderConfig = Readonly<Record<string, string>>;

export interface OidcOptions {
  /** Stores the new tokens for the next process. */
  readonly persist?: (config: ProviderConfig) => Promise<void>;
  readonly clock?: Clock;
}

/** A token is treated as expired this much earlier, because of clock skew. */
const expiryLeewayMs = 10_000;

/**
 * The auth provider `oidc`: an ID token that is refreshed with a refresh token when it expires. New tokens are stored
 * with `persist` before they are used, because a refresh token can often be used only once.
 */
export class OidcCredentials implements Credentials {
  readonly #clock: Clock;
  readonly #persist: (config: ProviderConfig) => Promise<void>;
  readonly #refresh = new SharedCall((signal) => this.#fetch(signal));
  #config: ProviderConfig;
  #credential: Credential | undefined;

  /** Throws an Error when the issuer URL or the client id is missing. */
  constructor(config: ProviderConfig, { persist = async () => {}, clock = systemClock }: OidcOptions = {}) {
    for (const key of ['idp-issuer-url', 'client-id']) if (!config[key]) throw new Error(`Must provide ${key}`);
    this.#config = config;
    this.#persist = persist;
    this.#clock = clock;
  }

  async current(signal?: AbortSignal): Promise<Credential> {
    const token = this.#config['id-token'];
    if (!token || this.#clock.now() + expiryLeewayMs >= expiryOf(token)) return this.#refresh.join(signal);
    if (this.#credential?.token !== token) this.#credential = secretCredential({ token });
    return this.#credential!;
  }

  /** The provider would not issue a better token before this one expires. */
  refused(): boolean {
    return false;
  }

  async #fetch(signal: AbortSignal): Promise<Credential> {
    const config = this.#config;
    const refreshToken = config['refresh-token'];
    if (!refreshToken) throw new Error('No valid id-token, and cannot refresh without refresh-token');
    const ca = await authorityOf(config);
    const connection = { ca, signal, clock: this.#clock };
    const url = await tokenEndpoint(config['idp-issuer-url']!, connection);
    const answer = await requestTokens({ url, config, refreshToken, connection });
    if (!answer.idToken) {
      throw new Error(
        'token response did not contain an id_token, either the scope "openid" wasn\'t requested upon login, or the provider doesn\'t support id_tokens as part of the refresh response',
      );
    }
    const renewed = {
      ...config,
      'id-token': answer.idToken,
      ...(answer.refreshToken && { 'refresh-token': answer.refreshToken }),
    };
    try {
      await this.#persist(renewed);
    } catch (cause) {
      throw new Error(`could not persist new tokens: ${messageOf(cause)}`, { cause });
    }
    this.#config = renewed;
    this.#credential = secretCredential({ token: answer.idToken });
    return this.#credential;
  }
}

/** Options of every request to the provider. */
type Connection = Pick<SmallRequest, 'ca' | 'signal' | 'clock'>;

async function authorityOf(config: ProviderConfig): Promise<string | undefined> {
  const data = config['idp-certificate-authority-data'];
  if (data) return Buffer.from(data, 'base64').toString();
  const file = config['idp-certificate-authority'];
  return file ? readFile(file, 'utf8') : undefined;
}

/** The `exp` claim in milliseconds since 1970. Throws when the token is not a JWT. */
function expiryOf(token: string): number {
  const claims = unverifiedClaims(token);
  if (!claims) throw new Error('ID Token is not a valid JWT');
  const seconds = Number(fieldOf(claims, 'exp'));
  return Number.isNaN(seconds) ? 0 : Math.trunc(seconds) * 1000;
}

const fieldOf = (value: unknown, field: string): unknown =>
  typeof value === 'object' && value !== null ? Object.getOwnPropertyDescriptor(value, field)?.value : undefined;

function textOf(value: unknown, field: string): string | undefined {
  const found = fieldOf(value, field);
  return typeof found === 'string' && found !== '' ? found : undefined;
}

async function tokenEndpoint(issuer: string, connection: Connection): Promise<string> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const { status, statusText, text } = await smallRequest({ url, ...connection });
  if (status !== 200) {
    const shown = text.length > 80 ? `${text.slice(0, 80)}...` : text;
    throw new Error(`oidc: failed to query metadata endpoint ${status} ${statusText}: ${JSON.stringify(shown)}`);
  }
  const found = textOf(tryJson(text), 'token_endpoint');
  if (!found) throw new Error("oidc: discovery object doesn't contain a token_endpoint");
  return found;
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface TokenRequest {
  readonly url: string;
  readonly config: ProviderConfig;
  readonly refreshToken: string;
  readonly connection: Connection;
}

interface Tokens {
  readonly idToken: string | undefined;
  readonly refreshToken: string | undefined;
}

/**
 * Providers expect client authentication either in a header or in the body, and do not announce which. So the header is
 * tried first, and the body if that fails.
 */
async function requestTokens({ url, config, refreshToken, connection }: TokenRequest): Promise<Tokens> {
  const id = config['client-id'] ?? '';
  const secret = config['client-secret'] ?? '';
  const form = { grant_type: 'refresh_token', refresh_token: refreshToken };
  const send = async (fields: Record<string, string>, headers: Record<string, string>) =>
    smallRequest({
      url,
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams(fields).toString(),
      ...connection,
    });
  const login = Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64');
  let answer = await send(form, { authorization: `Basic ${login}` });
  if (!isOk(answer.status))
    answer = await send({ ...form, client_id: id, ...(secret && { client_secret: secret }) }, {});
  const body = tryJson(answer.text);
  if (!isOk(answer.status)) {
    const code = textOf(body, 'error');
    const description = textOf(body, 'error_description');
    const why = code ? `"${code}"${description ? ` "${description}"` : ''}` : `${answer.status} ${answer.statusText}`;
    throw new Error(`failed to refresh token: oauth2: ${code ? '' : 'cannot fetch token: '}${why}`);
  }
  return { idToken: textOf(body, 'id_token'), refreshToken: textOf(body, 'refresh_token') };
}

const isOk = (status: number): boolean => status >= 200 && status < 300;
