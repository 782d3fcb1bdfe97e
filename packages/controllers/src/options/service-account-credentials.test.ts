import { newInternalError } from '@coxswain/apimachinery/errors';
import { datedBy } from '@coxswain/apimachinery/clock';
import { recordLogs } from '@coxswain/apimachinery/log';
import { type RunningApiServer, startApiServer } from '@coxswain/apiserver';
import { ClientSet, FakeClock, InProcessTransport, RESTClient } from '@coxswain/client';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SpyingTransport } from '../../test/spying-transport.ts';
import { ServiceAccountCredentials } from './service-account-credentials.ts';

const minute = 60_000;
let clock: FakeClock;
let server: RunningApiServer;
let spy: SpyingTransport;
let clients: ClientSet;
let logs = recordLogs();

beforeAll(async () => {
  clock = new FakeClock();
  server = await startApiServer({ memory: true }, { clock: datedBy(clock) });
  spy = new SpyingTransport(
    new InProcessTransport(server.transport({ username: 'admin', groups: ['system:masters'] })),
  );
  clients = new ClientSet(new RESTClient(spy));
}, 60_000);
afterAll(async () => {
  await spy.close();
  await server.stop();
});
beforeEach(() => {
  logs = recordLogs();
  spy.plan = () => {};
});

const newCredentials = (name: string, namespace = 'kube-system'): ServiceAccountCredentials =>
  new ServiceAccountCredentials({
    clients,
    namespace,
    name,
    clock,
    logger: logs.logger,
  });

/** Returns the user that the API server authenticates the token as. */
async function userOf(token: string | undefined): Promise<string | undefined> {
  const review = { metadata: {}, spec: { token: token ?? '' } };
  return (await clients.authentication.v1.tokenReviews().create(review)).status?.user?.username;
}
const failing = (): void => {
  spy.plan = ({ url }) => {
    if (url.includes('/token')) throw newInternalError(new Error('no tokens today'));
  };
};

describe('the credentials of a service account', () => {
  it('are tokens of an account, which is created if it is missing', async () => {
    const { token } = await newCredentials('job-controller').current();
    expect(await userOf(token)).toBe('system:serviceaccount:kube-system:job-controller');
    expect((await clients.core.v1.serviceAccounts('kube-system').get('job-controller')).metadata.uid).toBeTruthy();
  });

  it('create a missing namespace too', async () => {
    const { token } = await newCredentials('a', 'elsewhere').current();
    expect(await userOf(token)).toBe('system:serviceaccount:elsewhere:a');
  });

  it('are requested once for concurrent calls, and replaced after four fifths of their lifetime', async () => {
    const credentials = newCredentials('ttl-controller');
    const [first, same] = await Promise.all([credentials.current(), credentials.current()]);
    expect(same).toBe(first);
    await clock.advance(48 * minute - 1);
    expect(await credentials.current()).toBe(first);
    await clock.advance(1);
    const second = await credentials.current();
    expect(second.token).not.toBe(first.token);
    expect(await userOf(second.token)).toBe('system:serviceaccount:kube-system:ttl-controller');
  });

  it('are replaced when the server rejects them, for example after the account was recreated', async () => {
    const credentials = newCredentials('disruption-controller');
    const first = await credentials.current();
    await clients.core.v1.serviceAccounts('kube-system').delete('disruption-controller');
    expect(await userOf(first.token)).toBeUndefined();
    expect(credentials.refused(first)).toBe(true);
    expect(await userOf((await credentials.current()).token)).toBe(
      'system:serviceaccount:kube-system:disruption-controller',
    );
  });

  it('are requested up to four times, and the old ones are used while there are no new ones', async () => {
    const credentials = newCredentials('namespace-controller');
    const first = await credentials.current();
    await clock.advance(48 * minute);
    failing();
    const before = spy.requests.length;
    const late = credentials.current();
    for (const delayMs of [500, 1000, 2000]) {
      await expect.poll(() => clock.pending).toBeGreaterThan(0);
      await clock.advance(delayMs);
    }
    expect(await late).toBe(first);
    expect(spy.requests.slice(before).filter(({ url }) => url.includes('/token'))).toHaveLength(4);
    expect(logs.lines).toEqual([
      expect.stringMatching(
        /^error "Failed to replace token" err=".*no tokens today.*" serviceAccount="kube-system\/namespace-controller"$/,
      ),
    ]);
  });

  it('do not contain their token when they are serialized', async () => {
    const credential = await newCredentials('cronjob-controller').current();
    expect(JSON.stringify(credential)).toBe('{}');
  });
});
