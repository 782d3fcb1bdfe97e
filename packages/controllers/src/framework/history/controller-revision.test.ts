import type { ControllerRevision } from '@coxswain/api/apps/v1';
import { describe, expect, it } from 'vitest';
import {
  byRevision,
  holds,
  revisionData,
  revisionHash,
  revisionName,
  revisionsToDelete,
  templateIn,
} from './controller-revision.ts';

const templateOf = (app: string, image: string) => ({
  metadata: { labels: { app } },
  spec: {
    containers: [
      {
        name: 'web',
        image,
        imagePullPolicy: 'IfNotPresent' as const,
        resources: {},
        terminationMessagePath: '/dev/termination-log',
        terminationMessagePolicy: 'File' as const,
      },
    ],
    dnsPolicy: 'ClusterFirst' as const,
    restartPolicy: 'Always' as const,
    schedulerName: 'default-scheduler',
    securityContext: {},
    terminationGracePeriodSeconds: 0,
  },
});

const revision = (name: string, number: number, createdAt = '2026-01-01T00:00:00Z'): ControllerRevision => ({
  metadata: { name, creationTimestamp: createdAt },
  data: revisionData(templateOf('web', name)),
  revision: number,
});

describe('revisionHash', () => {
  it.each([
    ['ord', 'web:1', '866d4f69c8'],
    ['ord', 'web:2', '6765774b5c'],
    ['par', 'web:1', 'c5c56476b'],
    ['quo', 'web:1', '68dc77d566'],
    ['quc', 'web:1', '548d55467d'],
  ])('is the same as upstream for app %s with image %s', (app, image, hash) => {
    expect(revisionHash(revisionData(templateOf(app, image)), 0)).toBe(hash);
  });

  it('does not depend on the order of keys, but on the count of collisions', () => {
    const { metadata, spec } = templateOf('web', 'web:1');
    expect(revisionHash(revisionData({ spec, metadata }), 1)).toBe(revisionHash(revisionData({ metadata, spec }), 1));
    expect(revisionHash(revisionData({ spec }), 1)).not.toBe(revisionHash(revisionData({ spec }), 0));
  });

  it('accepts integers beyond 2^53', () => {
    const seconds: unknown = 2n ** 63n - 1n;
    const template: object = { spec: { containers: [], terminationGracePeriodSeconds: seconds } };
    expect(revisionHash(revisionData(template), 0)).toMatch(/^[b-z2-9]{1,10}$/);
  });
});

describe('a revision', () => {
  it('returns the template that it was created from', () => {
    const template = templateOf('web', 'web:1');
    const made = { ...revision('a', 1), data: revisionData(template) };
    expect(templateIn(made)).toEqual(template);
    expect([holds(made, revisionData(template)), holds(made, revisionData(templateOf('web', 'web:2')))]).toEqual([
      true,
      false,
    ]);
  });

  it('has the same bytes as in upstream, which compares bytes', () => {
    const template = {
      spec: { restartPolicy: 'Always' as const, containers: [{ name: 'c', image: 'i' }] },
      metadata: {},
    };
    expect(JSON.stringify(revisionData(template))).toBe(
      '{"spec":{"template":{"$patch":"replace","metadata":{},"spec":{"containers":[{"image":"i","name":"c"}],"restartPolicy":"Always"}}}}',
    );
  });

  it('treats null fields as absent', () => {
    const { metadata, spec } = templateOf('web', 'web:1');
    const data = {
      spec: { template: { metadata: { ...metadata, creationTimestamp: null }, spec, $patch: 'replace' } },
    };
    expect(holds({ metadata: {}, data, revision: 1 }, revisionData({ metadata, spec }))).toBe(true);
  });

  it.each([undefined, {}, { spec: null }, { spec: { template: 'x' } }])(
    'without a template is accepted: %j',
    (data) => {
      expect(templateIn({ metadata: {}, ...(data && { data }), revision: 1 })).toBeUndefined();
    },
  );

  it('has a name of at most 234 characters', () => {
    expect(revisionName('web', 'abc')).toBe('web-abc');
    expect(revisionName('w'.repeat(253), 'bcdfghjklm')).toBe(`${'w'.repeat(223)}-bcdfghjklm`);
  });
});

it('revisions are sorted by number, age and name', () => {
  const later = '2026-01-02T00:00:00Z';
  const sorted = [revision('d', 2), revision('c', 1, later), revision('b', 1), revision('a', 1)].sort(byRevision);
  expect(sorted.map(({ metadata }) => metadata.name)).toEqual(['a', 'b', 'c', 'd']);
});

it('revisionsToDelete returns the oldest excess revisions that are not in use', () => {
  const all = [1, 2, 3, 4].map((it) => revision(`r${it}`, it));
  const chosen = (excess: (unused: number) => number): (string | undefined)[] =>
    revisionsToDelete(all, ({ revision: it }) => it === 2, excess).map(({ metadata }) => metadata.name);
  expect(chosen((unused) => unused - 1)).toEqual(['r1', 'r3']);
  expect(chosen((unused) => unused - 9)).toEqual([]);
  expect(chosen(() => 9)).toEqual(['r1', 'r3', 'r4']);
});
