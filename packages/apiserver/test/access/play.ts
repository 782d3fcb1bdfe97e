import { requestCases, reviewCases, type TokenCase, tokenCases } from './cases.ts';
import { answerReviews, publish } from './setup.ts';
import { type Exchange, signToken, type TestIssuer } from './test-issuer.ts';

export type Call = (
  method: string,
  url: string,
  token: string | undefined,
  body?: unknown,
) => Promise<{ status: number; text: string }>;

/** The responses of a server to each case, and the requests that it sent to webhooks, without times and addresses. */
export interface Played {
  readonly tokens: Readonly<Record<string, unknown>>;
  readonly reviews: Readonly<Record<string, unknown>>;
  readonly requests: Readonly<Record<string, unknown>>;
}

export function prepare(issuer: TestIssuer): void {
  publish(issuer);
  answerReviews(issuer);
}

/** Issuers that are never initialized. */
const silent: ReadonlySet<string> = new Set(['/silent', '/impostor']);
const maxAttempts = 40;
const good = { aud: 'kube', sub: 'jane', exp: Math.floor(Date.now() / 1000) + 3600 };

/** Sends all cases to the server, which must be ready. */
export async function play(call: Call, issuer: TestIssuer): Promise<Played> {
  const normal = (value: unknown): unknown => normalize(value, issuer.url);
  const tokens: Record<string, unknown> = {};
  for (const [name, each] of Object.entries(tokenCases)) tokens[name] = normal(await reviewToken(call, issuer, each));
  const reviews: Record<string, unknown> = {};
  for (const [name, spec] of Object.entries(reviewCases)) {
    const asked = asking(issuer);
    const { text } = await call('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', 'admin', {
      kind: 'SubjectAccessReview',
      apiVersion: 'authorization.k8s.io/v1',
      spec,
    });
    reviews[name] = normal({ status: statusIn(text), asked: asked() });
  }
  const requests: Record<string, unknown> = {};
  for (const [name, { token, url }] of Object.entries(requestCases)) {
    const asked = asking(issuer);
    const { status, text } = await call('GET', url, token);
    requests[name] = normal({ status, ...(status !== 200 && { text: messageIn(text) }), asked: asked() });
  }
  return { tokens, reviews, requests };
}

async function reviewToken(call: Call, issuer: TestIssuer, each: TokenCase): Promise<unknown> {
  const { path = '/plain', claims = {}, audiences, patient } = each;
  const filled = JSON.parse(
    JSON.stringify({ iss: issuer.url + path, ...good, ...claims }).replaceAll('URL/', `${issuer.url}/`),
  );
  for (const [key, value] of Object.entries(claims)) if (value === undefined) delete filled[key];
  const token = each.token ?? signToken(filled, each);
  for (let attempt = 1; ; attempt++) {
    const { text } = await call('POST', '/apis/authentication.k8s.io/v1/tokenreviews', 'admin', {
      kind: 'TokenReview',
      apiVersion: 'authentication.k8s.io/v1',
      spec: { token, ...(audiences && { audiences }) },
    });
    const status = statusIn(text);
    const waits = patient || !silent.has(path);
    if (!waits || !text.includes('not initialized') || attempt === maxAttempts) return status;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Returns a function that returns the requests to webhooks since then. */
function asking(issuer: TestIssuer): () => unknown[] {
  const before = issuer.exchanges.length;
  const isReview = ({ path }: Exchange): boolean => path === '/authorize';
  return () =>
    issuer.exchanges
      .slice(before)
      .filter(isReview)
      .map(({ body }) => JSON.parse(body) as unknown);
}

function statusIn(text: string): unknown {
  const { status, message } = JSON.parse(text) as { status?: unknown; message?: string };
  return typeof status === 'string' ? message : status;
}

function messageIn(text: string): string {
  return text.startsWith('{') ? String((JSON.parse(text) as { message?: string }).message) : text;
}

const times = /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)? \+0000 UTC( m=\+[\d.]+)?/g;

function normalize(value: unknown, url: string): unknown {
  const text = JSON.stringify(value).replaceAll(url, 'https://issuer').replaceAll(times, 'TIME');
  return JSON.parse(text);
}
