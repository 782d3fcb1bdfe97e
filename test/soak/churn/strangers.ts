import { newTransport, RESTClient, TransportError } from '@coxswain/client';
import { ApiError } from '@coxswain/apimachinery';
import type { Activity, Churn } from './activity.ts';

/** Failing requests in which everything that a client can choose is new each time. */
export const strangers: Activity = {
  name: 'strangers',
  perMinute: 120,
  atOnce: 4,
  async run(churn, turn) {
    const word = `w${Math.floor(churn.random() * 2 ** 40).toString(36)}`;
    const request = requests[turn % requests.length];
    try {
      await request?.(churn, word);
    } catch (error) {
      if (!(error instanceof ApiError) && !(error instanceof TransportError)) throw error;
    }
  },
};

const agent = (word: string): Record<string, string> => ({ 'user-agent': `${word}/1.0 (${word})` });

const requests: readonly ((churn: Churn, word: string) => Promise<unknown>)[] = [
  ({ rest }, word) =>
    rest.raw({ method: 'GET', path: `/api/v1/namespaces/${word}/pods/${word}`, headers: agent(word) }),
  ({ rest }, word) => rest.raw({ method: 'GET', path: `/apis/${word}.example/v1/${word}`, headers: agent(word) }),
  ({ rest }, word) => rest.raw({ method: 'GET', path: `/${word}/${word}` }),
  ({ rest }, word) => rest.raw({ method: 'GET', path: '/api/v1/pods', query: { labelSelector: `${word}=${word}` } }),
  ({ rest }, word) =>
    rest.raw({ method: 'GET', path: '/api/v1/pods', query: { fieldSelector: `metadata.name=${word}` } }),
  ({ rest }, word) =>
    rest.raw({
      method: 'POST',
      path: '/api/v1/namespaces',
      body: `{"${word}`,
      headers: { 'content-type': 'application/json' },
    }),
  ({ rest, namespace }, word) =>
    rest.raw({
      method: 'POST',
      path: `/api/v1/namespaces/${namespace}/configmaps`,
      body: { metadata: { name: word }, data: { [word]: word } },
      query: { dryRun: 'All', fieldManager: word },
    }),
  // An unknown user, for RBAC and flow control.
  ({ rest }, word) => rest.raw({ method: 'GET', path: '/api/v1/pods', headers: { 'impersonate-user': word } }),
  ({ rest }, word) =>
    rest.raw({
      method: 'POST',
      path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
      body: {
        spec: { user: word, groups: [word], resourceAttributes: { resource: word, verb: 'get', namespace: word } },
      },
    }),
  ({ config }, word) => withToken(config, `${word}.${word}.${word}`),
  ({ rest }, word) => rest.raw({ method: word.slice(0, 6).toUpperCase(), path: '/api/v1/pods' }),
  ({ rest, namespace }, word) =>
    rest.raw({ method: 'GET', path: `/api/v1/namespaces/${namespace}/pods/${word}/proxy/${word}` }),
];

async function withToken(config: Churn['config'], token: string): Promise<void> {
  const own = new RESTClient(
    newTransport({ ...config, credentials: { current: async () => ({ token }), refused: () => false } }),
  );
  try {
    await own.raw({ method: 'GET', path: '/api/v1/pods' });
  } finally {
    await own.close();
  }
}
