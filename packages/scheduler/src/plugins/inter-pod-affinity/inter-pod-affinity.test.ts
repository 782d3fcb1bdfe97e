import type { Node, Pod, PodAffinityTerm, PodSpec } from '@coxswain/api/core/v1';
import { Path } from '@coxswain/apimachinery/field';
import { describe, expect, it } from 'vitest';
import { CycleState } from '../../framework/cycle-state.ts';
import { PodInfo } from '../../framework/pod-info.ts';
import { nodeInfos, topologyHandle } from '../../topology/recorded-case.test-data.ts';
import { interPodAffinity } from './index.ts';
import { readInterPodAffinityArgs } from './inter-pod-affinity-args.ts';

const podOf = (name: string, namespace: string, spec: Partial<PodSpec> = {}): Pod => ({
  metadata: { name, uid: name, namespace, labels: { app: name } },
  spec: { containers: [], ...spec },
});
const term = (app: string, more: Partial<PodAffinityTerm> = {}): PodAffinityTerm => ({
  labelSelector: { matchLabels: { app } },
  topologyKey: 'zone',
  ...more,
});
const apartFrom = (...terms: PodAffinityTerm[]): Partial<PodSpec> => ({
  affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } },
});
const near = (...terms: PodAffinityTerm[]): Partial<PodSpec> => ({
  affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } },
});
const red = { namespaceSelector: { matchLabels: { team: 'red' } } };
const node = (zone?: string): Node => ({ metadata: { name: 'node', ...(zone !== undefined && { labels: { zone } }) } });

it('uses the current labels of namespaces', () => {
  const nodes = nodeInfos([node('z')], [podOf('other', 'n2', { nodeName: 'node' })]);
  const handle = topologyHandle(nodes);
  const plugin = interPodAffinity.create(readInterPodAffinityArgs(undefined), handle);
  const pod = new PodInfo(podOf('pod', 'n1', apartFrom(term('other', red))));
  const filter = () => {
    const state = new CycleState();
    plugin.preFilter!(state, pod, nodes);
    return plugin.filter!(state, pod, nodes[0]!)?.message;
  };
  expect(filter()).toBeUndefined();
  handle.informers.core.v1.namespaces.informer.indexer.update({ metadata: { name: 'n2', labels: { team: 'red' } } });
  expect(filter()).toBe("node(s) didn't match pod anti-affinity rules");
  handle.informers.core.v1.namespaces.informer.indexer.update({ metadata: { name: 'n2' } });
  expect(filter()).toBeUndefined();
});

describe('a pod that was rejected', () => {
  const [ofPods, ofNodes] = interPodAffinity.create(readInterPodAffinityArgs(undefined), topologyHandle([]))
    .eventsToRegister!();
  const assigned = (name: string, namespace = 'n1', spec: Partial<PodSpec> = {}) =>
    podOf(name, namespace, { nodeName: 'node', ...spec });
  const relabelled = ({ metadata, ...pod }: Pod, app: string): Pod => ({
    ...pod,
    metadata: { ...metadata, labels: { app } },
  });
  const [a, b] = [assigned('a'), assigned('b')];

  it.each<[string, 'Queue' | 'Skip', Partial<PodSpec>, Pod?, Pod?]>([
    ['a pod that matches its affinity is added', 'Queue', near(term('a')), undefined, a],
    ['a pod that matches only one of its affinity terms is added', 'Skip', near(term('a'), term('b')), undefined, a],
    ['a matching pod without a node is added', 'Skip', near(term('a')), undefined, podOf('a', 'n1')],
    ['a matching pod in a selected namespace is added', 'Queue', near(term('a', red)), undefined, assigned('a', 'n1')],
    ['a pod in another namespace is added', 'Skip', near(term('a', red)), undefined, assigned('a', 'n2')],
    ['a pod gets the selected label', 'Queue', near(term('c')), a, relabelled(a, 'c')],
    ['a pod keeps the selected label', 'Skip', near(term('a')), a, a],
    ['a pod that matches an anti-affinity term is deleted', 'Queue', apartFrom(term('a'), term('b')), a, undefined],
    [
      'a pod that matches an anti-affinity term loses its label',
      'Queue',
      apartFrom(term('a'), term('b')),
      a,
      relabelled(a, 'c'),
    ],
    ['a pod that matches an anti-affinity term is added', 'Skip', apartFrom(term('a')), undefined, a],
    [
      'a pod with anti-affinity to it is deleted',
      'Queue',
      {},
      assigned('c', 'n2', apartFrom(term('x'), term('pod', red))),
      undefined,
    ],
    ['an unrelated pod is deleted', 'Skip', near(term('a')), b, undefined],
  ])('after %s: %s', (_, expected, spec, before, after) => {
    expect(ofPods!.hint!(podOf('pod', 'n1', spec), before, after)).toBe(expected);
  });

  it('is retried when its own labels change', () => {
    const pod = podOf('pod', 'n1');
    expect(ofPods!.hint!(pod, pod, relabelled(pod, 'other'))).toBe('Queue');
  });

  it.each<[string, 'Queue' | 'Skip', Partial<PodSpec>, Node?, Node?]>([
    ['a node with the topology key is added', 'Queue', near(term('a')), undefined, node('z')],
    ['a node without the topology key is added', 'Skip', near(term('a')), undefined, node()],
    ['a node gets the topology key', 'Queue', near(term('a')), node(), node('z')],
    ['a node loses the topology key', 'Skip', near(term('a')), node('z'), node()],
    ['any node is added', 'Queue', apartFrom(term('a')), undefined, node()],
    ['a node leaves its domain', 'Queue', apartFrom(term('a')), node('z'), node()],
    ['a node joins a domain', 'Skip', apartFrom(term('a')), node(), node('z')],
    ['any node is added, and only other pods have terms', 'Queue', {}, undefined, node()],
    ['other fields of a node change', 'Skip', apartFrom(term('a')), node('z'), node('z')],
  ])('after %s: %s', (_, expected, spec, before, after) => {
    expect(ofNodes!.hint!(podOf('pod', 'n1', spec), before, after)).toBe(expected);
  });
});

describe('the args', () => {
  it('have defaults', () => {
    const defaults = { hardPodAffinityWeight: 1, ignorePreferredTermsOfExistingPods: false };
    expect(readInterPodAffinityArgs(undefined)).toEqual(defaults);
    expect(readInterPodAffinityArgs({ hardPodAffinityWeight: 0 }).hardPodAffinityWeight).toBe(0);
  });

  it('have a weight within bounds', () => {
    expect(() => readInterPodAffinityArgs({ hardPodAffinityWeight: 101 })).toThrow(
      new Error('hardPodAffinityWeight: Invalid value: 101: not in valid range [0, 100]'),
    );
    expect(() => readInterPodAffinityArgs({ hardPodAffinityWeight: -1 }, Path.of('profiles').index(0))).toThrow(
      new Error('profiles[0].hardPodAffinityWeight: Invalid value: -1: not in valid range [0, 100]'),
    );
  });
});
