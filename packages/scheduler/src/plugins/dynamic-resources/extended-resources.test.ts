import type { Container, Pod } from '@coxswain/api/core/v1';
import { describe, expect, it } from 'vitest';
import recorded from '../testdata/upstream-extended-resource-requests.json' with { type: 'json' };
import { type ExtendedRequests, extendedRequests } from './extended-resources.ts';

interface Recorded extends ExtendedRequests {
  readonly initContainers: Container[] | null;
  readonly containers: Container[];
}

const classes: Readonly<Record<string, string>> = {
  'example.com/a': 'class-a',
  'deviceclass.resource.kubernetes.io/class-b': 'class-b',
};

describe('device requests for extended resources', () => {
  it('are the same as upstream’s, container by container', () => {
    const answers = (recorded as unknown as readonly Recorded[]).map(({ initContainers, containers, ...theirs }) => {
      const pod: Pod = { metadata: {}, spec: { initContainers: initContainers ?? [], containers } };
      return {
        theirs,
        ours: extendedRequests(pod, [...Object.keys(classes), 'example.com/none'], (name) => classes[name]),
      };
    });
    expect(answers.map(({ ours }) => ours)).toEqual(answers.map(({ theirs }) => theirs));
    expect(answers).toHaveLength(120);
  });
});
