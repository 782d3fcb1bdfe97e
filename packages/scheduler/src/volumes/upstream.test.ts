import type { Node, PersistentVolume, PersistentVolumeClaim, Pod } from '@coxswain/api/core/v1';
import type { KubernetesObject } from '@coxswain/apimachinery/meta';
import type { FakeClock } from '@coxswain/client';
import { describe, expect, it } from 'vitest';
import { CycleState } from '../framework/cycle-state.ts';
import type { PluginDefinition } from '../framework/handle.ts';
import { NodeInfo } from '../framework/node-info.ts';
import type { Plugin } from '../framework/plugin.ts';
import { PodInfo } from '../framework/pod-info.ts';
import { Status } from '../framework/status.ts';
import { nodeVolumeLimits } from '../plugins/node-volume-limits/index.ts';
import { volumeBinding } from '../plugins/volume-binding/index.ts';
import { volumeRestrictions } from '../plugins/volume-restrictions/index.ts';
import { volumeZone } from '../plugins/volume-zone/index.ts';
import recorded from './testdata/upstream.json' with { type: 'json' };
import { volumeHandle } from './volume-handle.test-data.ts';

/** A random cluster with volumes, and the results of upstream's plug-ins for a pod. */
interface RecordedCase {
  readonly nodes: readonly Node[];
  readonly pods: readonly Pod[];
  /** Volumes, claims, classes and other storage objects. */
  readonly objects: readonly KubernetesObject[];
  readonly pod: Pod;
  readonly expected: Answers;
}

/** Statuses as text, by plug-in; empty for success. */
interface Answers {
  readonly preFilter: Record<string, string>;
  /** By plug-in, then by node. */
  readonly filter: Record<string, Record<string, string>>;
  /** The updates that PreBind writes for the first node that passes. */
  readonly updates?: readonly string[];
}

const definitions = [volumeRestrictions, nodeVolumeLimits, volumeBinding, volumeZone] as readonly PluginDefinition[];
const cases: readonly RecordedCase[] = JSON.parse(JSON.stringify(recorded));

const textOf = (status: unknown): string => (status instanceof Status ? `${status.code} ${status.message}` : '');

async function answersOf({ nodes, pods, objects, pod }: RecordedCase): Promise<Answers> {
  const infos = nodes.map((node) => new NodeInfo(node));
  for (const other of pods) infos.find(({ name }) => name === other.spec?.nodeName)?.addPod(new PodInfo(other));
  const info = new PodInfo(pod);
  const preFilter: Record<string, string> = {};
  const filter: Record<string, Record<string, string>> = {};
  let updates: string[] = [];
  for (const definition of definitions) {
    const { handle, clock, actions } = volumeHandle(infos, [...objects, ...nodes.map(as('Node')), as('Pod')(pod)]);
    const plugin = definition.create(definition.readArgs?.(undefined), handle);
    const state = new CycleState();
    const text = textOf(plugin.preFilter?.(state, info, infos));
    preFilter[plugin.name] = text;
    if (text) continue;
    const byNode = Object.fromEntries(infos.map((node) => [node.name, textOf(plugin.filter?.(state, info, node))]));
    filter[plugin.name] = byNode;
    const passing = Object.keys(byNode).find((name) => !byNode[name]);
    if (!plugin.preBind || passing === undefined) continue;
    const placed = new PodInfo({ ...pod, spec: { ...pod.spec, containers: [], nodeName: passing } });
    expect(plugin.reserve?.(state, placed, passing)).toBeUndefined();
    const hasNothingToDo = plugin.preBindPreFlight?.(state, placed, passing);
    if (!hasNothingToDo) await begun(plugin, state, placed, passing, clock);
    updates = actions().flatMap(({ verb, object }) => (verb === 'update' && object ? [told(object)] : []));
  }
  return { preFilter, filter, ...(updates.length > 0 && { updates }) };
}

/** Runs PreBind until it only waits for the caches, which are never updated here, and then aborts it. */
async function begun(plugin: Plugin, state: CycleState, pod: PodInfo, node: string, clock: FakeClock): Promise<void> {
  const stop = new AbortController();
  const binding = plugin.preBind?.(state, pod, node, stop.signal);
  await Promise.race([clock.whenWaiting(2), binding]);
  stop.abort();
  expect(textOf(await binding)).toMatch(/^Error binding volumes: /);
}

const as =
  (kind: string) =>
  (object: KubernetesObject): KubernetesObject => ({ ...object, kind });

function told(object: PersistentVolume | PersistentVolumeClaim | KubernetesObject): string {
  const { name, annotations } = object.metadata ?? {};
  const claim = object.kind === 'PersistentVolume' ? (object as PersistentVolume).spec?.claimRef : undefined;
  if (!claim) return `pvc ${name} on ${annotations?.['volume.kubernetes.io/selected-node']}`;
  const byController = annotations?.['pv.kubernetes.io/bound-by-controller'] ?? '';
  return `pv ${name} for ${claim.namespace}/${claim.name} ${claim.uid} by-controller=${byController}`;
}

describe('volume plug-ins return the same results as upstream', () => {
  it.each(cases.map((each, i) => ({ ...each, i })))('in cluster $i', async (each) => {
    expect(await answersOf(each)).toEqual(each.expected);
  });
});
