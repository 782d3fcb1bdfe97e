import { describe, expect, it } from 'vitest';
import { deploymentOf, setOf } from './deployment.test-data.ts';
import { annotationsOfCurrentSet, byRevision, lastRevision, maxRevision } from './revision.ts';

const revision = 'deployment.kubernetes.io/revision';
const history = 'deployment.kubernetes.io/revision-history';
const setAt = (at: string | undefined, more: Record<string, string> = {}) =>
  setOf(`at-${at}`, 0, { annotations: { ...(at !== undefined && { [revision]: at }), ...more } });

describe('revisions', () => {
  it.each<[revisions: (string | undefined)[], max: bigint, last: bigint]>([
    [[], 0n, 0n],
    [['3'], 3n, 0n],
    [['1', '3', '2'], 3n, 2n],
    [[undefined, '2', 'two'], 2n, 0n],
    [['3546343826724305832', '3546343826724305833'], 3546343826724305833n, 3546343826724305832n],
    [['9223372036854775808'], 0n, 0n],
  ])('of ReplicaSets with revisions %s: the newest and the one before', (revisions, max, last) => {
    const sets = revisions.map((at) => setAt(at));
    expect([maxRevision(sets), lastRevision(sets)]).toEqual([max, last]);
  });

  it('sort ReplicaSets numerically, and by age without a number', () => {
    const sets = ['10', '9', undefined].map((at) => setAt(at));
    expect(sets.sort(byRevision).map(({ metadata }) => metadata.name)).toEqual(['at-undefined', 'at-9', 'at-10']);
  });
});

describe('annotationsOfCurrentSet', () => {
  const deployment = deploymentOf();
  const after = (annotations: Record<string, string>, next: bigint, ofDeployment: Record<string, string> = {}) =>
    annotationsOfCurrentSet(
      { ...deployment, metadata: { ...deployment.metadata, annotations: ofDeployment } },
      setOf('set', 1, { annotations }),
      next,
    );

  it('adds the previous revision to the history', () => {
    expect(after({ [revision]: '1' }, 3n)).toEqual({ [revision]: '3', [history]: '1' });
    expect(after({ [revision]: '3', [history]: '1' }, 5n)).toEqual({ [revision]: '5', [history]: '1,3' });
  });

  it('never decreases the revision', () => {
    expect(after({ [revision]: '7' }, 3n)).toEqual({ [revision]: '7' });
    expect(after({}, 3n)).toEqual({ [revision]: '3' });
    expect(after({ [revision]: 'seven' }, 3n)).toEqual({ [revision]: 'seven' });
  });

  it('drops the oldest revisions when the history is too long', () => {
    const long = Array.from({ length: 500 }, (_, i) => String(1000 + i)).join(',');
    const kept = after({ [revision]: '2000', [history]: long }, 2001n)[history]!;
    expect(kept.length).toBeLessThanOrEqual(2000);
    expect(kept.startsWith('1101,')).toBe(true);
    expect(kept.endsWith(',1499,2000')).toBe(true);
  });

  it('copies the annotations of the deployment, except its own ones', () => {
    const ofDeployment = {
      note: 'new',
      [revision]: '9',
      'kubectl.kubernetes.io/last-applied-configuration': '{}',
      'deprecated.deployment.rollback.to': '1',
    };
    expect(after({ [revision]: '3', note: 'old', other: 'kept' }, 3n, ofDeployment)).toEqual({
      [revision]: '3',
      note: 'new',
      other: 'kept',
    });
  });
});
