import { cloneJson, compileNormalizer, GroupVersion } from '@coxswain/apimachinery';
import { expect, it } from 'vitest';
import { conversionFor, defaulterFor } from '../src/built-in-kinds.ts';
import { Catalogue } from '../src/catalogue/catalogue.ts';
import type { JsonObject } from './case.ts';
import { representativeObjects } from './representative-objects.ts';

const objects: Readonly<Record<string, JsonObject>> = {
  ...representativeObjects,
  'a secret of texts': { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, stringData: { a: 'b' } },
  'a service': { apiVersion: 'v1', kind: 'Service', metadata: { name: 's' }, spec: { ports: [{ port: 80 }] } },
  'an event of the newer group': {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name: 'e', namespace: 'n' },
    eventTime: '2026-01-02T03:04:05.000001Z',
    regarding: { name: 'x' },
  },
};

const absentPlaces = (value: unknown, path = ''): string[] =>
  value === undefined
    ? [path]
    : typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([key, item]) => absentPlaces(item, `${path}.${key}`))
      : [];

for (const [what, object] of Object.entries(objects)) {
  it(`defaults and conversions of ${what} produce no undefined fields`, () => {
    const kind = Catalogue.builtIn().kind(
      GroupVersion.parse(object.apiVersion as string).withKind(object.kind as string),
    )!;
    const decoded = compileNormalizer(kind.schema)(cloneJson(object)).object;
    defaulterFor(kind.gvk)?.(decoded);
    expect(absentPlaces(decoded)).toEqual([]);
    const conversion = conversionFor(kind.gvk);
    if (!conversion) return;
    const hub = conversion.toHub(decoded);
    expect(absentPlaces(hub)).toEqual([]);
    expect(absentPlaces(conversion.fromHub(hub))).toEqual([]);
  });
}
