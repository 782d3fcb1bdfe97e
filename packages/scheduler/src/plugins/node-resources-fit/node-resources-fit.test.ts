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

describe('a node has no room', () => {
  it.each<[string, Pod, Node, Pod[], string, string[]]>([
    [
      'for want of anything',
      pod({ cpu: '5', memory: '5Gi', 'ephemeral-storage': '1' }),
      node({ pods: '0' }),
      [],
      'UnschedulableAndUnresolvable',
      ['Too many pods', 'Insufficient cpu', 'Insufficient memory', 'Insufficient ephemeral-storage'],
    ],
    [
      'now, but had if others went',
      pod({ cpu: '3' }),
      node({}),
      [pod({ cpu: '2' }, 'n')],
      'Unschedulable',
      ['Insufficient cpu'],
    ],
    ['of pods, whatever they take', pod({}), node({ pods: '1' }), [pod({}, 'n')], 'Unschedulable', ['Too many pods']],
    [
      'of devices',
      pod({ 'example.com/gpu': '2' }),
      node({ 'example.com/gpu': '2' }),
      [pod({ 'example.com/gpu': '1' }, 'n')],
      'Unschedulable',
      ['Insufficient example.com/gpu'],
    ],
    [
      'of devices at all',
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

describe('a resource is not looked at', () => {
  const wanted = pod({ 'example.com/gpu': '1', 'example.com/fpga': '1' });

  it('that is ignored by its name', () => {
    const status = filtered(make({ ignoredResources: ['example.com/gpu'] }), wanted, node({}));
    expect(status?.reasons).toEqual(['Insufficient example.com/fpga']);
  });

  it('that is ignored by its group', () => {
    expect(filtered(make({ ignoredResourceGroups: ['example.com'] }), wanted, node({}))).toBeUndefined();
  });

  it('but for native ones, which nobody can ignore', () => {
    const status = filtered(make({ ignoredResources: ['hugepages-2Mi'] }), pod({ 'hugepages-2Mi': '2Mi' }), node({}));
    expect(status?.reasons).toEqual(['Insufficient hugepages-2Mi']);
  });
});

describe('devices of a class stand in for an extended resource', () => {
  const wanted = pod({ 'example.com/gpu': '1' });
  const plugin = make({}, [deviceClass('gpus', 'example.com/gpu'), deviceClass('plain')]);

  it('on nodes that do not have it themselves', () => {
    expect(filtered(plugin, wanted, node({}))).toBeUndefined();
  });

  it('but not on those that do', () => {
    const status = filtered(plugin, wanted, node({ 'example.com/gpu': '1' }), pod({ 'example.com/gpu': '1' }, 'n'));
    expect(status?.reasons).toEqual(['Insufficient example.com/gpu']);
  });

  it('and for the resource that every class has by its name', () => {
    expect(filtered(plugin, pod({ 'deviceclass.resource.kubernetes.io/plain': '1' }), node({}))).toBeUndefined();
    expect(filtered(plugin, pod({ 'deviceclass.resource.kubernetes.io/other': '1' }), node({}))).toBeDefined();
  });

  it('and not for others', () => {
    expect(filtered(plugin, pod({ 'example.com/fpga': '1' }), node({}))).toBeDefined();
  });
});

describe('a pod that found no room is worth a try', () => {
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
    ['a class comes for what it wants', pod({ 'a.b/c': '1' }), undefined, deviceClass('x', 'a.b/c'), 'Queue'],
    [
      'a class of its name comes',
      pod({ 'deviceclass.resource.kubernetes.io/x': '1' }),
      undefined,
      deviceClass('x'),
      'Queue',
    ],
    ['a class is for it now', pod({ 'a.b/c': '1' }), deviceClass('x'), deviceClass('x', 'a.b/c'), 'Queue'],
    [
      'but not when the class stays as it is',
      pod({ 'a.b/c': '1' }),
      deviceClass('x', 'a.b/c'),
      deviceClass('x', 'a.b/c'),
      'Skip',
    ],
    ['nor when it is for something else', pod({ 'a.b/c': '1' }), undefined, deviceClass('x', 'a.b/d'), 'Skip'],
    ['nor when it wants nothing of the kind', pod({ cpu: '1' }), undefined, deviceClass('x', 'a.b/d'), 'Skip'],
  ])('when %s', (_, wanted, before, after, expected) => {
    expect(hint(make(), 'resource.k8s.io/DeviceClass', wanted, before, after)).toBe(expected);
  });

  it('when a node comes that lacks only what is ignored', () => {
    const wanted = pod({ 'a.b/c': '1' });
    expect(hint(make(), 'Node', wanted, undefined, node({}))).toBe('Skip');
    expect(hint(make({ ignoredResources: ['a.b/c'] }), 'Node', wanted, undefined, node({}))).toBe('Queue');
  });

  it('when a node can take devices of a class for it, whatever else of the node changed', () => {
    const plugin = make({}, [deviceClass('x', 'a.b/c')]);
    expect(hint(plugin, 'Node', pod({ 'a.b/c': '1' }), node({}), node({ cpu: '5' }))).toBe('Queue');
    expect(hint(plugin, 'Node', pod({ memory: '1' }), node({}), node({ cpu: '5' }))).toBe('Skip');
  });

  it('when another pod shrinks in what it wants', () => {
    const shrunk = hint(make(), 'Pod', pod({ cpu: '1' }), pod({ cpu: '2' }, 'n'), pod({ cpu: '1' }, 'n'));
    expect(shrunk).toBe('Queue');
    expect(hint(make(), 'Pod', pod({ memory: '1' }), pod({ cpu: '2' }, 'n'), pod({ cpu: '1' }, 'n'))).toBe('Skip');
  });
});
