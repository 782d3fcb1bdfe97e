import { parseJwt } from '@coxswain/apimachinery/jwt';
import { beforeEach, describe, expect, it } from 'vitest';
import { type KeyName, keySet, signToken } from '../../../test/access/test-issuer.ts';
import type { HttpsAnswer } from './https-get.ts';
import { RemoteKeySet } from './remote-key-set.ts';

let time: number;
let fetches: number;
let answer: () => HttpsAnswer;
let keys: RemoteKeySet;
let fetched: (string | undefined)[];

const answering = (names: readonly KeyName[], headers: HttpsAnswer['headers'] = {}): (() => HttpsAnswer) => {
  const body = Buffer.from(JSON.stringify(keySet(...names)));
  return () => ({ code: 200, status: '200 OK', headers: { 'content-type': 'application/json', ...headers }, body });
};

beforeEach(() => {
  time = 1_000_000;
  fetches = 0;
  fetched = [];
  answer = answering(['rsa']);
  keys = new RemoteKeySet({
    url: 'https://keys',
    now: () => new Date(time),
    onFetch: (text) => void fetched.push(text),
    get: async () => {
      fetches++;
      return answer();
    },
  });
});

const verify = (key: KeyName): Promise<void> => keys.verify(parseJwt(signToken({ sub: 'x' }, { key }))!);
const unknown = 'failed to verify id token signature';

describe('the keys of a provider', () => {
  it('are fetched once, with one request for concurrent verifications', async () => {
    await Promise.all([verify('rsa'), verify('rsa'), verify('rsa')]);
    await verify('rsa');
    expect(fetches).toBe(1);
    expect(fetched).toHaveLength(1);
  });

  it('are fetched again for a token of an unknown key', async () => {
    await verify('rsa');
    answer = answering(['rsa', 'rotated']);
    time += 1_000;
    await verify('rotated');
    await verify('rsa');
    expect(fetches).toBe(2);
  });

  it('are fetched at most once a second', async () => {
    await verify('rsa');
    for (let sent = 0; sent < 50; sent++) await expect(verify('stranger')).rejects.toThrow(unknown);
    expect(fetches).toBe(1);
    time += 1_000;
    await expect(Promise.all([verify('stranger'), verify('stranger')])).rejects.toThrow(unknown);
    expect(fetches).toBe(2);
  });

  it('are not fetched again until 30 seconds before the response expires', async () => {
    answer = answering(['rsa'], { 'cache-control': 'public, max-age=60' });
    await verify('rsa');
    time += 29_000;
    await expect(verify('stranger')).rejects.toThrow(unknown);
    expect(fetches).toBe(1);
    time += 2_000;
    await expect(verify('stranger')).rejects.toThrow(unknown);
    expect(fetches).toBe(2);
  });

  it.each([['no-store, max-age=600'], ['no-cache'], ['private, max-age=600'], ['max-age=nonsense']])(
    'may be fetched again after a second with %s',
    async (cacheControl) => {
      answer = answering(['rsa'], { 'cache-control': cacheControl });
      await verify('rsa');
      time += 1_000;
      await expect(verify('stranger')).rejects.toThrow(unknown);
      expect(fetches).toBe(2);
    },
  );

  it('stay valid when the provider cannot be reached', async () => {
    await verify('rsa');
    answer = () => {
      throw new Error('Get "https://keys": EOF');
    };
    time += 3_600_000;
    await verify('rsa');
    await expect(verify('rotated')).rejects.toThrow('fetching keys oidc: get keys failed Get "https://keys": EOF');
    expect(fetched.at(-1)).toBeUndefined();
  });

  it('are fetched at most once a second after a failure', async () => {
    answer = () => ({ code: 503, status: '503 Service Unavailable', headers: {}, body: Buffer.from('later') });
    for (let sent = 0; sent < 20; sent++)
      await expect(verify('rsa')).rejects.toThrow('fetching keys oidc: get keys failed: 503 Service Unavailable later');
    expect(fetches).toBe(1);
  });

  it('are rejected when the response is not a key set', async () => {
    answer = () => ({
      code: 200,
      status: '200 OK',
      headers: { 'content-type': 'text/html' },
      body: Buffer.from('<html>'),
    });
    await expect(verify('rsa')).rejects.toThrow(
      'fetching keys oidc: failed to decode keys: expected Content-Type = application/json, got "text/html": invalid character \'<\' looking for beginning of value <html>',
    );
  });
});
