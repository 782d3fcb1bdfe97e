import { afterEach, describe, expect, it, vi } from 'vitest';
import { startTestServer } from '../../test/test-server.ts';
import { DefinitionRuleHooks } from '../crd/validation-rules/index.ts';

/** Starts a server whose loading of further modules the test settles. Resolves when that loading has begun. */
async function startLoading() {
  let settle: { resolve: () => void; reject: (error: Error) => void };
  const load = vi.spyOn(DefinitionRuleHooks.prototype, 'load').mockReturnValue(
    new Promise<never>((resolve, reject) => {
      settle = { resolve: resolve as () => void, reject };
    }),
  );
  const started = await startTestServer();
  await vi.waitFor(() => expect(load).toHaveBeenCalled(), 10_000);
  return { ...started, ...settle! };
}

afterEach(() => vi.restoreAllMocks());

describe('loading modules after the start', () => {
  it('delays stopping the server until it is done', async () => {
    const { server, resolve } = await startLoading();
    const order: string[] = [];
    const stopped = server.stop().then(() => order.push('stopped'));
    setTimeout(() => {
      order.push('loaded');
      resolve();
    }, 200);
    await stopped;
    expect(order).toEqual(['loaded', 'stopped']);
  });

  it('only logs an error when it fails', async () => {
    const { server, log, reject } = await startLoading();
    reject(new Error('no such file'));
    await vi.waitFor(() =>
      expect(log.join('\n')).toMatch(/Failed to load the checks of validation rules.*no such file/s),
    );
    await server.stop();
  });
});
