import type { Pod } from '@coxswain/api/core/v1';
import { systemEventLoop } from '@coxswain/apimachinery/turns';
import { describe, expect, it } from 'vitest';
import { existingPodWarnings } from './existing-pods.ts';

const enforce = { level: 'baseline', version: Number.POSITIVE_INFINITY } as const;
const pod = (name: string, bad: boolean, owner?: string): Pod => ({
  metadata: {
    name,
    ...(owner && {
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: owner, uid: owner, controller: true }],
    }),
  },
  spec: { containers: [{ name: 'c' }], ...(bad && { hostNetwork: true }) },
});
const many = (count: number, bad: (i: number) => boolean, owner?: string): Pod[] =>
  Array.from({ length: count }, (_, i) => pod(`p${i}`, bad(i), owner));
const warningsFor = (pods: readonly Pod[], now = () => new Date(0)): Promise<string[]> =>
  existingPodWarnings(pods, {
    namespace: 'n',
    enforce,
    isExempt: ({ metadata }) => metadata.name === 'exempt',
    now,
    eventLoop: systemEventLoop,
  });

const violate = 'existing pods in namespace "n" violate the new PodSecurity enforce level "baseline:latest"';

describe('existing pods under a stricter policy', () => {
  it('cause no warnings without violations', async () => {
    expect(await warningsFor([pod('a', false), pod('exempt', true)])).toEqual([]);
  });

  it('are reported together when they have the same violations, by the first name', async () => {
    expect(await warningsFor([pod('b', true), pod('a', true)])).toEqual([
      violate,
      'a (and 1 other pod): host namespaces',
    ]);
  });

  it('are limited to 3000, and one of each controller comes first', async () => {
    const pods = [...many(3000, (i) => i > 0, 'one'), pod('other', true)];
    expect(await warningsFor(pods)).toEqual([
      'new PodSecurity enforce level only checked against the first 3000 of 3001 existing pods',
      violate,
      'other (and 2998 other pods): host namespaces',
    ]);
  });

  it('are checked for at most one second', async () => {
    let ms = 0;
    const now = (): Date => {
      ms += 300;
      return new Date(ms);
    };
    expect(
      await warningsFor(
        many(9, () => false),
        now,
      ),
    ).toEqual(['new PodSecurity enforce level only checked against the first 4 of 9 existing pods']);
  });
});
