import { FeatureGates, newCodecFactory, newScheme } from '@coxswain/api';
import { systemClock } from '@coxswain/apimachinery/clock';
import { systemRandom } from '@coxswain/apimachinery/random';
import { systemEventLoop } from '@coxswain/apimachinery/turns';
import { openMemoryStore, type Store } from '@coxswain/storage';
import { ResourceRegistries } from './resource-registries.ts';

/** Returns the registries of all built-in resources over a memory store. Generated names and uids count up. */
export function testRegistries(options: { readonly store?: Store; readonly now?: () => Date } = {}): {
  registries: ResourceRegistries;
  store: Store;
} {
  const { store = openMemoryStore(), now = () => new Date('2026-01-02T03:04:05Z') } = options;
  let made = 0;
  const registries = new ResourceRegistries({
    store,
    root: '/registry',
    scheme: newScheme(),
    codecs: newCodecFactory(),
    features: FeatureGates.defaults,
    random: {
      ...systemRandom,
      uuid: () => `00000000-0000-4000-8000-${String(++made).padStart(12, '0')}`,
      nameSuffix: () => String(++made).padStart(5, 'x'),
    },
    now,
    clock: systemClock,
    eventLoop: systemEventLoop,
    eventTtlSeconds: 3600,
    serviceIPFamilies: ['IPv4'],
    hooks: () => undefined,
  });
  return { registries, store };
}
