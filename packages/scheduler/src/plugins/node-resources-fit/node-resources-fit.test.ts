import type { Node, Pod } from '@coxswain/api/core/v1';
import type { DeviceClass } from '@coxswain/api/resource/v1';
import type { KubernetesObject } from '@coxswain/apimachinery/meta';
import { describe, expect, it } from 'vitest';
import { CycleState } from '../../framework/cycle-state.ts';
import { NodeInfo } from '../../framework/node-info.ts';
import { PodInfo } from '../../framework/pod-info.ts';
import { fakeHandle } from '../fake-handle.test-data.ts';
import { nodeResourcesFit } from './index.ts';

const pod = (requests: Record<string, string>, nodeName = ''): Pod => ({
  metadata: { name: 'p', uid: nodeName },
  spec: { ...(nodeName && { nodeName }), containers: [{ name: 'c', resources: { requests } }] },
});
const node = (allocatable: Record<string, string>): Node => ({
  metadata: { name: 'n' },
  status: { allocatable: { cpu: '4', memory: '4Gi', pods: '10', ...allocatable } },
});
const deviceClass = (name: string, extendedResourceName?: string): DeviceClass => ({
  metadata: { name },
  spec: { ...(extendedResourceName && { extendedResourceName }) },
});
const make = (args: unknown = {}, deviceClasses: readonly DeviceClass[] = []) =>
  nodeResourcesFit.create(nodeResourcesFit.readArgs!(args), fakeHandle({ deviceClasses }));

function filtered(plugin: ReturnType<typeof make>, wanted: Pod, on: Node, ...placed: Pod[]) {
  const info = new NodeInfo(on);
  for (const one of placed) info.addPod(new PodInfo(one));
  const state = new CycleState();
  plugin.preFilter?.(state, new PodInfo(wanted), [info]);
  return plugin.filter?.(state, new PodInfo(wanted), info);
}

describe('a node has not enough room', () => {
  it.each<[string, Pod, Node, Pod[], string, string[]]>([
    [
      'of any resource',
      pod({ cpu: '5', memory: '5Gi', 'ephemeral-storage': '1' }),
      node({ pods: '0' }),
      [],
      'UnschedulableAndUnresolvable',
      ['Too many pods', 'Insufficient cpu', 'Insufficient memory', 'Insufficient ephemeral-storage'],
    ],
    [
      'now, but preemption might help',
      pod({ cpu: '3' }),
      node({}),
      [pod({ cpu: '2' }, 'n')],
      'Unschedulable',
      ['Insufficient cpu'],
    ],
    [
      'for another pod, without any requests',
      pod({}),
      node({ pods: '1' }),
      [pod({}, 'n')],
      'Unschedulable',
      ['Too many pods'],
    ],
    [
      'of an extended resource',
      pod({ 'example.com/gpu': '2' }),
      node({ 'example.com/gpu': '2' }),
      [pod({ 'example.com/gpu': '1' }, 'n')],
      'Unschedulable',
      ['Insufficient example.com/gpu'],
    ],
    [
      'because it lacks an extended resource',
      pod({ 'example.com/gpu': '2' }),
      node({}),
      [],
      'UnschedulableAndUnresolvable',
      ['Insufficient example.com/gpu'],
    ],
  ])('%s', (_, wanted, on, placed, code, reasons) => {
    expect(filtered(make(), wanted, on, ...placed)).toMatchObject({ code, reasons });
  });
});

describe('a resource is ignored', () => {
  const wanted = pod({ 'example.com/gpu': '1', 'example.com/fpga': '1' });

  it('by its name', () => {
    const status = filtered(make({ ignoredResources: ['example.com/gpu'] }), wanted, node({}));
    expect(status?.reasons).toEqual(['Insufficient example.com/fpga']);
  });

  it('by its group', () => {
    expect(filtered(make({ ignoredResourceGroups: ['example.com'] }), wanted, node({}))).toBeUndefined();
  });

  it('unless it is a native one', () => {
    const status = filtered(make({ ignoredResources: ['hugepages-2Mi'] }), pod({ 'hugepages-2Mi': '2Mi' }), node({}));
    expect(status?.reasons).toEqual(['Insufficient hugepages-2Mi']);
  });
});

describe('devices of a class provide an extended resource', () => {
  const wanted = pod({ 'example.com/gpu': '1' });
  const plugin = make({}, [deviceClass('gpus', 'example.com/gpu'), deviceClass('plain')]);

  it('on nodes that do not have it themselves', () => {
    expect(filtered(plugin, wanted, node({}))).toBeUndefined();
  });

  it('but not on those that do', () => {
    const status = filtered(plugin, wanted, node({ 'example.com/gpu': '1' }), pod({ 'example.com/gpu': '1' }, 'n'));
    expect(status?.reasons).toEqual(['Insufficient example.com/gpu']);
  });

  it('and the implicit resource named after the class', () => {
    expect(filtered(plugin, pod({ 'deviceclass.resource.kubernetes.io/plain': '1' }), node({}))).toBeUndefined();
    expect(filtered(plugin, pod({ 'deviceclass.resource.kubernetes.io/other': '1' }), node({}))).toBeDefined();
  });

  it('but no other resource', () => {
    expect(filtered(plugin, pod({ 'example.com/fpga': '1' }), node({}))).toBeDefined();
  });
});

describe('a rejected pod is queued', () => {
  const hint = (
    plugin: ReturnType<typeof make>,
    resource: string,
    wanted: Pod,
    before: KubernetesObject | undefined,
    after: KubernetesObject | undefined,
  ) =>
    plugin
      .eventsToRegister?.()
      .find(({ event }) => event.resource === resource)
      ?.hint?.(wanted, before, after);

  it.each<[string, Pod, DeviceClass | undefined, DeviceClass, string]>([
    ['when a class for its resource is added', pod({ 'a.b/c': '1' }), undefined, deviceClass('x', 'a.b/c'), 'Queue'],
    [
      'when a class for its implicit resource is added',
      pod({ 'deviceclass.resource.kubernetes.io/x': '1' }),
      undefined,
      deviceClass('x'),
      'Queue',
    ],
    [
      'when a class is changed to provide its resource',
      pod({ 'a.b/c': '1' }),
      deviceClass('x'),
      deviceClass('x', 'a.b/c'),
      'Queue',
    ],
    [
      'not when a class does not change',
      pod({ 'a.b/c': '1' }),
      deviceClass('x', 'a.b/c'),
      deviceClass('x', 'a.b/c'),
      'Skip',
    ],
    [
      'not when a class for another resource is added',
      pod({ 'a.b/c': '1' }),
      undefined,
      deviceClass('x', 'a.b/d'),
      'Skip',
    ],
    [
      'not when a class is added and it requests no extended resource',
      pod({ cpu: '1' }),
      undefined,
      deviceClass('x', 'a.b/d'),
      'Skip',
    ],
  ])('%s', (_, wanted, before, after, expected) => {
    expect(hint(make(), 'resource.k8s.io/DeviceClass', wanted, before, after)).toBe(expected);
  });

  it('when a node is added that lacks only ignored resources', () => {
    const wanted = pod({ 'a.b/c': '1' });
    expect(hint(make(), 'Node', wanted, undefined, node({}))).toBe('Skip');
    expect(hint(make({ ignoredResources: ['a.b/c'] }), 'Node', wanted, undefined, node({}))).toBe('Queue');
  });

  it('when a node with a device class for its resource changes in any way', () => {
    const plugin = make({}, [deviceClass('x', 'a.b/c')]);
    expect(hint(plugin, 'Node', pod({ 'a.b/c': '1' }), node({}), node({ cpu: '5' }))).toBe('Queue');
    expect(hint(plugin, 'Node', pod({ memory: '1' }), node({}), node({ cpu: '5' }))).toBe('Skip');
  });

  it('when another pod is scaled down in a resource that it requests', () => {
    const shrunk = hint(make(), 'Pod', pod({ cpu: '1' }), pod({ cpu: '2' }, 'n'), pod({ cpu: '1' }, 'n'));
    expect(shrunk).toBe('Queue');
    expect(hint(make(), 'Pod', pod({ memory: '1' }), pod({ cpu: '2' }, 'n'), pod({ cpu: '1' }, 'n'))).toBe('Skip');
  });
});
