import type { MutatingWebhookConfiguration } from '@coxswain/api/admissionregistration/v1';
import { describe, expect, it } from 'vitest';
import type { WebhookConfiguration } from './compiled-webhook.ts';
import { WebhookSource } from './webhook-source.ts';

const configuration = (name: string, ...webhooks: string[]): MutatingWebhookConfiguration => ({
  metadata: { name },
  webhooks: webhooks.map((webhook) => ({
    name: webhook,
    clientConfig: {},
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    matchConditions: [{ name: 'c', expression: 'true' }],
  })),
});

/** A source over a modifiable list, which counts compilations. */
function newSource() {
  const objects: WebhookConfiguration[] = [];
  const callbacks: (() => void)[] = [];
  const counted = { opened: 0, compiled: 0 };
  const collected: string[][] = [];
  const source = new WebhookSource(
    () => {
      counted.opened++;
      return {
        synced: Promise.resolve(),
        get: () => undefined,
        list: () => [...objects],
        onChange: (callback) => {
          callbacks.push(() => callback(undefined, undefined));
          return () => {};
        },
      };
    },
    () => {
      counted.compiled++;
      return async () => [];
    },
    (names) => collected.push([...names]),
  );
  const set = (...next: WebhookConfiguration[]): void => {
    objects.splice(0, objects.length, ...next);
    for (const callback of callbacks) callback();
  };
  return { source, set, counted, collected };
}

describe('webhooks', () => {
  it('are in the order of their configurations, with unique IDs', async () => {
    const { source, set } = newSource();
    set(configuration('a', 'x', 'y', 'x'), configuration('b', 'x'));
    const webhooks = await source.webhooks();
    expect(webhooks.map(({ uid }) => uid)).toEqual(['a/x/0', 'a/y/0', 'a/x/1', 'b/x/0']);
  });

  it('are compiled once, and again only after changes', async () => {
    const { source, set, counted } = newSource();
    const [a, b] = [configuration('a', 'x', 'y'), configuration('b', 'z')];
    set(a, b);
    await Promise.all([source.webhooks(), source.webhooks()]);
    expect(counted).toEqual({ opened: 1, compiled: 3 });
    const known = source.webhooks();
    expect(source.webhooks()).toBe(known);
    set(a, configuration('b', 'other'));
    await source.webhooks();
    expect(counted).toEqual({ opened: 1, compiled: 4 });
  });

  it('are reported by name after changes', async () => {
    const { source, set, collected } = newSource();
    set(configuration('a', 'x', 'y'), configuration('b', 'x'));
    await source.webhooks();
    await source.webhooks();
    set(configuration('a', 'y'));
    await source.webhooks();
    expect(collected).toEqual([['x', 'y'], ['y']]);
  });

  it('are returned synchronously after the first call', async () => {
    const { source, set } = newSource();
    expect(await source.webhooks()).toEqual([]);
    expect(source.webhooks()).toEqual([]);
    set(configuration('a', 'x'));
    expect(source.webhooks()).toHaveLength(1);
    set();
    expect(source.webhooks()).toEqual([]);
  });
});
