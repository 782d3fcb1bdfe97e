import type { Pod, Service, ServicePort } from '@coxswain/api/core/v1';
import { ClientSet, FakeClock, RESTClient, SharedInformerFactory } from '@coxswain/client';
import { FakeTransport } from '@coxswain/client/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fnv128a } from '../hash/fnv128a.ts';
import { addLabelIndex, labelled } from '../labels/label-index.ts';
import { isEndpoint, podAddresses, servicesConcerned, targetPort } from './pod-endpoints.ts';
import { addSelectorIndex, servicesFor } from './service-index.ts';

type Labels = Record<string, string>;
const pod = (name: string, labels: Labels, rest: Partial<Pod> = {}): Pod => ({
  metadata: { namespace: 'n', name, labels, resourceVersion: '1', ...rest.metadata },
  ...(rest.spec && { spec: rest.spec }),
  ...(rest.status && { status: rest.status }),
});
const service = (name: string, selector: Labels | undefined): Service => ({
  metadata: { namespace: 'n', name },
  spec: { ...(selector && { selector }) },
});

function caches(services: readonly Service[], pods: readonly Pod[] = []) {
  const clients = new ClientSet(new RESTClient(new FakeTransport({ objects: [] })));
  const { core } = new SharedInformerFactory(clients, { clock: new FakeClock() });
  addSelectorIndex(core.v1.services.informer);
  addSelectorIndex(core.v1.services.informer);
  addLabelIndex(core.v1.pods.informer);
  addLabelIndex(core.v1.pods.informer);
  core.v1.services.informer.indexer.replace(services);
  core.v1.pods.informer.indexer.replace(pods);
  return { services: core.v1.services.informer.indexer, pods: core.v1.pods.informer.indexer };
}
const namesOf = (objects: readonly (Service | Pod)[]): string[] => objects.map(({ metadata }) => metadata.name!).sort();

describe('the indexes of pods and services', () => {
  it('find the same objects as a full scan', () => {
    const labels = fc.dictionary(fc.constantFrom('app', 'tier', 'zone'), fc.constantFrom('a', 'b', 'long-one'));
    fc.assert(
      fc.property(fc.array(labels, { maxLength: 8 }), fc.array(labels, { maxLength: 8 }), (selectors, podLabels) => {
        const services = selectors.map((selector, i) => service(`s${i}`, selector));
        const pods = podLabels.map((labels, i) => pod(`p${i}`, labels));
        const indexed = caches(services, pods);
        const isSelected = (selector: Labels, labels: Labels): boolean =>
          Object.keys(selector).length > 0 && Object.entries(selector).every(([key, value]) => labels[key] === value);
        selectors.forEach((selector) => {
          const expected = pods.filter(({ metadata }) => isSelected(selector, metadata.labels!));
          expect(namesOf(labelled(indexed.pods, 'n', selector))).toEqual(namesOf(expected));
          expect(labelled(indexed.pods, 'other', selector)).toEqual([]);
        });
        podLabels.forEach((labels) => {
          const expected = services.filter(({ spec }) => isSelected(spec!.selector!, labels));
          expect(namesOf(servicesFor(indexed.services, 'n', labels))).toEqual(namesOf(expected));
        });
      }),
    );
  });
});

describe('servicesConcerned returns', () => {
  const { services } = caches([
    service('a', { app: 'a' }),
    service('b', { app: 'b' }),
    service('t', { tier: 't' }),
    service('none', undefined),
  ]);
  const ready = (status: 'True' | 'False'): Partial<Pod> => ({ status: { conditions: [{ type: 'Ready', status }] } });
  const changed = (old: Pod | undefined, now: Pod | undefined): string[] => {
    const newer = now && { ...now, metadata: { ...now.metadata, resourceVersion: '2' } };
    return namesOf(servicesConcerned(services, old, newer));
  };
  const at = { app: 'a', tier: 't' };
  const bt = { app: 'b', tier: 't' };
  it.each<[string, Pod | undefined, Pod | undefined, string[]]>([
    ['all services that select an added pod', undefined, pod('p', at), ['a', 't']],
    ['all services that select a deleted pod', pod('p', at), undefined, ['a', 't']],
    ['none when no relevant field changes', pod('p', at), pod('p', at, { status: { phase: 'Running' } }), []],
    ['all when the pod becomes ready', pod('p', at, ready('False')), pod('p', at, ready('True')), ['a', 't']],
    ['all when the address changes', pod('p', at), pod('p', at, { status: { podIPs: [{ ip: '1' }] } }), ['a', 't']],
    [
      'all for any change of a terminating pod',
      pod('p', at),
      pod('p', at, { metadata: { deletionTimestamp: 'x' } }),
      ['a', 't'],
    ],
    ['those that stop or start selecting the pod when only labels change', pod('p', at), pod('p', bt), ['a', 'b']],
    [
      'all that selected or select the pod when more than labels changes',
      pod('p', at, ready('False')),
      pod('p', bt, ready('True')),
      ['a', 'b', 't'],
    ],
  ])('%s', (_, old, now, names) => expect(changed(old, now)).toEqual(names));

  it('none for the same resourceVersion', () => {
    const same = pod('p', at);
    expect(servicesConcerned(services, same, same)).toEqual([]);
  });
});

describe('a pod', () => {
  const running = (status: NonNullable<Pod['status']>, metadata: Pod['metadata'] = {}): Pod =>
    pod('p', {}, { status: { phase: 'Running', podIP: '10.0.0.1', ...status }, metadata });
  it.each<[string, boolean, Pod, boolean?]>([
    ['that is running', true, running({})],
    ['without an address', false, running({ podIP: '' })],
    ['that has ended', false, running({ phase: 'Succeeded' })],
    ['that has failed', false, running({ phase: 'Failed' })],
    ['that is terminating', false, running({}, { deletionTimestamp: 'x' })],
    ['that is terminating, when those are included', true, running({}, { deletionTimestamp: 'x' }), true],
  ])('%s is an endpoint: %s', (_, expected, pod, includeTerminating = false) => {
    expect(isEndpoint(pod, includeTerminating)).toBe(expected);
  });

  it('has addresses of each family in canonical form', () => {
    const dual = running({ podIPs: [{ ip: '10.0.0.010' }, { ip: 'FD00:0::1' }] });
    expect(podAddresses(dual, 'IPv4')).toEqual(['10.0.0.10']);
    expect(podAddresses(dual, 'IPv6')).toEqual(['fd00::1']);
  });

  const ports = (name: string, containerPort: number) => [{ name, containerPort, protocol: 'TCP' as const }];
  const spec: Pod['spec'] = {
    initContainers: [
      { name: 'init', ports: ports('setup', 1) },
      { name: 'sidecar', restartPolicy: 'Always', ports: ports('proxy', 2) },
    ],
    containers: [{ name: 'main', ports: ports('web', 3) }],
  };
  it.each<[ServicePort['targetPort'] & {}, ServicePort['protocol'] & {}, number | undefined]>([
    [8080, 'TCP', 8080],
    ['web', 'TCP', 3],
    ['proxy', 'TCP', 2],
    ['setup', 'TCP', undefined],
    ['web', 'UDP', undefined],
  ])('has for target port %s over %s the number %s', (name, protocol, number) => {
    expect(targetPort(pod('p', {}, { spec }), { port: 80, targetPort: name, protocol })).toBe(number);
  });
});

it('hashes are those of Go’s fnv.New128a', () => {
  expect(fnv128a('')).toBe('6c62272e07bb014262b821756295c58d');
  const printed =
    '(v1.EndpointPort){Name:(*string)http Protocol:(*v1.Protocol)TCP Port:(*int32)81 AppProtocol:(*string)<nil>}';
  expect(fnv128a(printed)).toBe('2ff6fd331ce8ab25670e2ffbe9f4ed00');
});
