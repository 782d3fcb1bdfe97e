import { constants, createHmac, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { authority, TestServer } from '../../src/webhook/tls-server.test-data.ts';

/** The key is read again, because Node can deadlock when it exports a generated one as JWK (generate-signing-key.ts). */
const jwkOf = (publicKey: KeyObject) =>
  createPublicKey(publicKey.export({ type: 'spki', format: 'pem' })).export({ format: 'jwk' });

const rsa = (): KeyPair => generateKeyPairSync('rsa', { modulusLength: 2048 });
const ec = (namedCurve: string): KeyPair => generateKeyPairSync('ec', { namedCurve });

interface KeyPair {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

/** Keys by their IDs. No issuer publishes `stranger`. */
const keys = {
  rsa: rsa(),
  p256: ec('P-256'),
  p384: ec('P-384'),
  p521: ec('P-521'),
  ed25519: generateKeyPairSync('ed25519'),
  rotated: rsa(),
  stranger: rsa(),
} satisfies Record<string, KeyPair>;
export type KeyName = keyof typeof keys;

export interface TokenOptions {
  readonly alg?: string;
  readonly key?: KeyName;
  /** Null for no `kid`. */
  readonly kid?: string | null;
  readonly header?: Readonly<Record<string, unknown>>;
  /** The encoded header, instead of a generated one. */
  readonly rawHeader?: string;
}

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Returns a token with exactly these claims. */
export function signToken(claims: unknown, options: TokenOptions = {}): string {
  const { alg = 'RS256', key = 'rsa', kid = key, header = {} } = options;
  const head = options.rawHeader ?? encode({ alg, ...(kid !== null && { kid }), ...header });
  const input = `${head}.${encode(claims)}`;
  return `${input}.${signature(input, alg, key).toString('base64url')}`;
}

function signature(input: string, alg: string, key: KeyName): Buffer {
  const { privateKey, publicKey } = keys[key];
  const data = Buffer.from(input);
  const digest = `sha${alg.slice(2)}`;
  if (alg === 'none') return Buffer.alloc(0);
  // An attack: HMAC with the public key as the secret.
  if (alg.startsWith('HS'))
    return createHmac(digest, publicKey.export({ type: 'spki', format: 'pem' }))
      .update(data)
      .digest();
  if (alg === 'EdDSA') return sign(null, data, privateKey);
  if (alg.startsWith('ES')) return sign(digest, data, { key: privateKey, dsaEncoding: 'ieee-p1363' });
  if (alg.startsWith('PS'))
    return sign(digest, data, {
      key: privateKey,
      padding: constants.RSA_PKCS1_PSS_PADDING,
      saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
    });
  return sign(digest, data, privateKey);
}

export const keySet = (...names: KeyName[]): { keys: unknown[] } => ({
  keys: names.map((kid) => ({ ...jwkOf(keys[kid].publicKey), kid, use: 'sig' })),
});

export interface Exchange {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

type Answer = (response: ServerResponse, exchange: Exchange) => void;

/** An HTTPS server with several issuers and other endpoints, by path. */
export class TestIssuer {
  /** The CA of its certificate, as PEM. */
  readonly ca = authority.certificatePem;
  readonly exchanges: Exchange[] = [];
  readonly #answers = new Map<string, Answer>();
  #server: TestServer | undefined;

  async start(): Promise<this> {
    this.#server = await TestServer.https((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const path = new URL(request.url ?? '', 'https://x').pathname;
        const exchange = { path, headers: request.headers, body: Buffer.concat(chunks).toString() };
        this.exchanges.push(exchange);
        const answer = this.#answers.get(path);
        if (answer) answer(response, exchange);
        else response.writeHead(404).end('nothing here');
      });
    }).start();
    return this;
  }

  get url(): string {
    return `https://127.0.0.1:${this.#server?.port}`;
  }

  on(path: string, answer: Answer): void {
    this.#answers.set(path, answer);
  }

  json(path: string, value: unknown, status = 200): void {
    this.on(path, (response) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value)),
    );
  }

  /** Publishes an issuer below a path, with these keys. `document` overrides members of its discovery document. */
  issue(path: string, names: readonly KeyName[], document: Readonly<Record<string, unknown>> = {}): string {
    const issuer = `${this.url}${path}`;
    this.json(`${path}/.well-known/openid-configuration`, { issuer, jwks_uri: `${issuer}/keys`, ...document });
    this.json(`${path}/keys`, keySet(...names));
    return issuer;
  }

  async close(): Promise<void> {
    await this.#server?.close();
  }
}
