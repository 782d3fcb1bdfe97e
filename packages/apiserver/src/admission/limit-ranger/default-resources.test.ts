import type { LimitRange, LimitRangeItem, Pod } from '@coxswain/api/core/v1';
import { describe, expect, it } from 'vitest';
import { setDefaultResources } from './default-resources.ts';

const range = (...limits: LimitRangeItem[]): LimitRange => ({
  metadata: { name: 'r' },
  spec: { limits },
});
const annotation = 'kubernetes.io/limit-ranger';

describe('the default resources of a limit range', () => {
  it('are added to containers, and recorded in an annotation', () => {
    const asking = { name: 'asking', resources: { requests: { cpu: '1' }, limits: { cpu: '2' } } };
    const pod: Pod = {
      metadata: { name: 'p', annotations: { a: 'b' } },
      spec: { containers: [{ name: 'silent' }, asking], initContainers: [{ name: 'first' }] },
    };
    const { spec } = pod;
    setDefaultResources(
      pod,
      range(
        { type: 'Container', default: { memory: '1Gi', cpu: '2' }, defaultRequest: { cpu: '1' } },
        { type: 'Pod', max: { cpu: '9' } },
      ),
    );
    const both = { requests: { cpu: '1' }, limits: { cpu: '2', memory: '1Gi' } };
    expect(pod.spec?.containers?.map(({ resources }) => resources)).toEqual([both, both]);
    expect(pod.spec?.initContainers?.map(({ resources }) => resources)).toEqual([both]);
    expect(pod.metadata.annotations).toEqual({
      a: 'b',
      [annotation]:
        'LimitRanger plugin set: cpu request for container silent; cpu, memory limit for container silent; memory limit for container asking; cpu request for init container first; cpu, memory limit for init container first',
    });
    // The original objects are unchanged, as they may be shared with the stored object.
    expect(spec?.containers?.[0]).toEqual({ name: 'silent' });
    expect(asking.resources.limits).toEqual({ cpu: '2' });
  });

  it('do not change containers that have all resources', () => {
    const pod: Pod = { metadata: {}, spec: { containers: [{ name: 'c', resources: { limits: { cpu: '1' } } }] } };
    const { spec } = pod;
    setDefaultResources(pod, range({ type: 'Container', default: { cpu: '3' } }));
    expect(pod.spec).toBe(spec);
    expect(pod.metadata).toEqual({});
  });

  it('are rejected when they make the pod too large', () => {
    const containers = Array.from({ length: 1_000 }, (_, i) => ({ name: `c${i}` }));
    const much = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`example.com/r${i}`, '1']));
    const pod: Pod = { metadata: {}, spec: { containers } };
    expect(() => setDefaultResources(pod, range({ type: 'Container', default: much }))).toThrow(
      'the default resources of the containers are too large',
    );
  });

  it('may have any name', () => {
    const pod: Pod = { metadata: {}, spec: { containers: [{ name: 'c' }] } };
    setDefaultResources(pod, range({ type: 'Container', default: JSON.parse('{"__proto__": "1"}') }));
    expect(Object.keys(pod.spec?.containers?.[0]?.resources?.limits ?? {})).toEqual(['__proto__']);
  });
});
