import type { TokenRequestSpec } from '@coxswain/api/authentication/v1';
import { recordLogs } from '@coxswain/apimachinery/log';
import { FakeClock } from '@coxswain/client';
import { beforeEach, describe, expect, it } from 'vitest';
import { ServiceAccountTokens } from './service-account-tokens.ts';

const owner = { namespace: 'ns', serviceAccount: 'default', podName: 'p', podUid: 'uid-1' };
const { signal } = new AbortController();
const hourMs = 3_600_000;

describe('the token of a pod', () => {
  let clock: FakeClock;
  let requests: TokenRequestSpec[];
  let failure: Error | undefined;
  let tokens: ServiceAccountTokens;
  let chance: number;
  beforeEach(() => {
    clock = new FakeClock(0);
    requests = [];
    failure = undefined;
    chance = 0;
    tokens = new ServiceAccountTokens({
      clock,
      random: { number: () => chance },
      logger: recordLogs().logger,
      api: {
        async requestToken(_, __, spec) {
          if (failure) throw failure;
          requests.push(spec);
          const expirationTimestamp = new Date(clock.now() + Number(spec.expirationSeconds) * 1000).toISOString();
          return { spec, status: { token: `token-${requests.length}`, expirationTimestamp } };
        },
      },
    });
  });

  const token = (expirationSeconds: number, audience?: string): Promise<string> =>
    tokens.token(owner, { audience, expirationSeconds }, signal);

  it('is bound to the pod, and is for the audience', async () => {
    await token(3600, 'vault');
    await token(3600);
    const boundObjectRef = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'uid-1' };
    expect(requests).toEqual([
      { audiences: ['vault'], expirationSeconds: 3600, boundObjectRef },
      { expirationSeconds: 3600, boundObjectRef },
    ]);
  });

  it('is replaced when 80 % of its time have passed', async () => {
    expect(await token(3600)).toBe('token-1');
    await clock.advance(0.8 * hourMs);
    expect(await token(3600)).toBe('token-1');
    // Not all pods of a node at the same time.
    chance = 0.5;
    expect(await token(3600)).toBe('token-2');
    expect(tokens.size).toBe(1);
  });

  it('is replaced after a day, however long it may be used', async () => {
    const week = 7 * 24 * 3600;
    await token(week);
    await clock.advance(24 * hourMs);
    expect(await token(week)).toBe('token-1');
    await clock.advance(1);
    expect(await token(week)).toBe('token-2');
  });

  it('is used until it expires if there is no other', async () => {
    failure = new Error('the server is away');
    await expect(token(3600)).rejects.toThrow('failed to fetch token: the server is away');
    failure = undefined;
    await token(3600);
    failure = new Error('the server is away');
    await clock.advance(hourMs);
    expect(await token(3600)).toBe('token-1');
    await clock.advance(1);
    await expect(token(3600)).rejects.toThrow('token ns/default expired and refresh failed: the server is away');
  });

  it('is forgotten with the pod', async () => {
    await token(3600);
    tokens.forgetPod('uid-2');
    expect(tokens.size).toBe(1);
    tokens.forgetPod('uid-1');
    expect(tokens.size).toBe(0);
  });
});
