import { Catalogue } from '@coxswain/api';
import type { Node, Pod } from '@coxswain/api/core/v1';
import { GroupVersionKind, type KubernetesObject } from '@coxswain/apimachinery/meta';
import { describe, expect, it } from 'vitest';
import { withNullLists } from '../../apimachinery/src/schema/null-lists.test-data.ts';
import type { QueueingHint } from '../src/framework/cluster-event.ts';
import { CycleState } from '../src/framework/cycle-state.ts';
import type { PluginDefinition } from '../src/framework/handle.ts';
import { NodeInfo } from '../src/framework/node-info.ts';
import type { Plugin } from '../src/framework/plugin.ts';
import { PodInfo } from '../src/framework/pod-info.ts';
import { Status } from '../src/framework/status.ts';
import { fakeHandle } from '../src/plugins/fake-handle.test-data.ts';
import { imageLocality } from '../src/plugins/image-locality/index.ts';
import { nodeAffinity } from '../src/plugins/node-affinity/index.ts';
import { nodeDeclaredFeatures } from '../src/plugins/node-declared-features/index.ts';
import { nodeName } from '../src/plugins/node-name/index.ts';
import { nodePorts } from '../src/plugins/node-ports/index.ts';
import { nodeResourcesBalancedAllocation } from '../src/plugins/node-resources-balanced-allocation/index.ts';
import { nodeResourcesFit } from '../src/plugins/node-resources-fit/index.ts';
import { nodeUnschedulable } from '../src/plugins/node-unschedulable/index.ts';
import { taintToleration } from '../src/plugins/taint-toleration/index.ts';
import recorded from '../src/plugins/testdata/upstream-node-plugins.json' with { type: 'json' };

/** The results of upstream's plug-ins for random pods on random nodes. */
interface RecordedCase {
  readonly nodes: readonly Node[];
  readonly placed: readonly Pod[];
  readonly pod: Pod;
  readonly fitArgs: unknown;
  readonly balancedArgs: unknown;
  readonly affinityArgs: unknown;
  /** Of the placed pods, and last of the pod to schedule. */
  readonly requests: readonly Readonly<Record<string, number>>[];
  readonly results: Readonly<Record<string, RecordedResult>>;
}

interface RecordedResult {
  /** A status, or the names of the only nodes to filter. */
  readonly preFilter?: string;
  readonly filter?: readonly string[];
  readonly score?: readonly number[];
  /** True when PreScore returned Skip. */
  readonly skipped?: boolean;
  /** By change: `Node 0>1` is an update of the first node to the second, `Pod 0>` the deletion of the first pod. */
  readonly hints?: Readonly<Record<string, string>>;
}

const asRecorded: readonly RecordedCase[] = JSON.parse(JSON.stringify(recorded));

const schemaOf = (kind: string) => Catalogue.builtIn().kind(GroupVersionKind.of('', 'v1', kind))!.schema;
const [podSchema, nodeSchema] = [schemaOf('Pod'), schemaOf('Node')];

/** The results must be the same when absent lists are null. */
const withNulls: readonly RecordedCase[] = asRecorded.map((recordedCase) => ({
  ...recordedCase,
  nodes: recordedCase.nodes.map((node) => withNullLists(nodeSchema, node)),
  placed: recordedCase.placed.map((pod) => withNullLists(podSchema, pod)),
  pod: withNullLists(podSchema, recordedCase.pod),
}));

function nodeInfos({ nodes, placed }: RecordedCase): NodeInfo[] {
  const infos = nodes.map((node) => new NodeInfo(node));
  for (const pod of placed) infos.find(({ name }) => name === pod.spec?.nodeName)?.addPod(new PodInfo(pod));
  const spread = (image: string) =>
    nodes.filter(({ status }) => status?.images?.some(({ names }) => names?.includes(image)));
  for (const info of infos)
    info.imageStates = new Map(
      info.node?.status?.images?.map(({ names, sizeBytes = 0 }) => {
        const [image = ''] = names ?? [];
        return [image, { size: sizeBytes, nodes: spread(image).length }];
      }),
    );
  return infos;
}

/** The plug-ins use only the number of nodes, which is the same in all cases. */
const handle = fakeHandle({ nodes: nodeInfos(asRecorded[0]!) });

const textOf = (status: Status | undefined): string =>
  status ? `${status.code} ${JSON.stringify([...status.reasons].sort())}` : '';

/** The order of reasons does not matter. */
const sortedReasons = (text: string): string => {
  const [code = '', ...rest] = text.split(' ');
  return text && `${code} ${JSON.stringify(JSON.parse(rest.join(' ')).sort())}`;
};

function resultOf(plugin: Plugin, nodes: readonly NodeInfo[], pod: PodInfo) {
  const state = new CycleState();
  const result: { preFilter?: string; filter?: string[]; score?: number[]; skipped?: boolean } = {};
  const prepared = plugin.preFilter?.(state, pod, nodes);
  if (prepared instanceof Status) result.preFilter = prepared.code === 'Skip' ? 'Skip []' : textOf(prepared);
  else if (prepared) {
    const names = [...prepared.nodeNames];
    result.preFilter = names.length > 1 ? 'many' : JSON.stringify(names);
  }
  if (plugin.filter && !(prepared instanceof Status))
    result.filter = nodes.map((node) => textOf(plugin.filter?.(state, pod, node)));
  if (plugin.score) {
    if (plugin.preScore?.(state, pod, nodes)) return { ...result, skipped: true };
    const scores = nodes.map((node) => plugin.score!(state, pod, node));
    plugin.normalizeScore?.(state, pod, nodes, scores);
    result.score = scores;
  }
  return result;
}

function hintOf(plugin: Plugin, { nodes, placed, pod }: RecordedCase, change: string): QueueingHint | undefined {
  const [resource, names = ''] = change.split(' ');
  const objects: readonly KubernetesObject[] = resource === 'Node' ? nodes : placed;
  const [before, after] = names.split('>').map((name) => (name === 'pod' ? pod : objects[Number(name || Number.NaN)]));
  const events = plugin.eventsToRegister?.();
  return events?.find(({ event }) => event.resource === resource)?.hint?.(pod, before, after);
}

const expected = (result: Omit<RecordedResult, 'hints'>) => ({
  ...result,
  ...(result.preFilter && {
    preFilter: /^[A-Z]/.test(result.preFilter) ? sortedReasons(result.preFilter) : result.preFilter,
  }),
  ...(result.filter && { filter: result.filter.map(sortedReasons) }),
});

describe.each([
  ['the same results as upstream', asRecorded],
  ['the same results as upstream, with null for absent lists', withNulls],
])('%s', (_title, cases) => {
  it('resources of pods', () => {
    for (const { placed, pod, requests } of cases)
      for (const [i, one] of [...placed, pod].entries()) {
        const { requests: own, nonZeroCPU, nonZeroMemory } = new PodInfo(one).resources;
        const { non0CPU, non0Mem, ...amounts } = requests[i]!;
        expect([nonZeroCPU, nonZeroMemory]).toEqual([non0CPU, non0Mem]);
        expect(Object.fromEntries(Object.keys(amounts).map((name) => [name, own.get(name)]))).toEqual(amounts);
        expect([...(own.scalar?.keys() ?? [])].every((name) => name in amounts)).toBe(true);
      }
  });

  const check = <Args>(
    definition: PluginDefinition<Args>,
    argsOf: (recordedCase: RecordedCase) => Args,
  ): [string, () => void] => [
    definition.name,
    () => {
      const seen = new Set<string>();
      for (const recordedCase of cases) {
        const nodes = nodeInfos(recordedCase);
        const plugin = definition.create(argsOf(recordedCase), handle);
        const { hints = {}, ...result } = recordedCase.results[definition.name]!;
        const actual = resultOf(plugin, nodes, new PodInfo(recordedCase.pod));
        expect(actual).toEqual(expected(result));
        const ownHints = Object.keys(hints).map((change) => [change, hintOf(plugin, recordedCase, change)]);
        expect(Object.fromEntries(ownHints)).toEqual(hints);
        seen.add(JSON.stringify(actual));
      }
      // The recording is useful only if it contains different results.
      expect(seen.size).toBeGreaterThan(2);
    },
  ];

  it.each([
    check(nodeUnschedulable, () => undefined),
    check(nodeName, () => undefined),
    check(taintToleration, () => undefined),
    check(nodeAffinity, ({ affinityArgs }) => nodeAffinity.readArgs!(affinityArgs)),
    check(nodePorts, () => undefined),
    check(nodeResourcesFit, ({ fitArgs }) => nodeResourcesFit.readArgs!(fitArgs)),
    check(nodeResourcesBalancedAllocation, ({ balancedArgs }) =>
      nodeResourcesBalancedAllocation.readArgs!(balancedArgs),
    ),
    check(imageLocality, () => undefined),
    check(nodeDeclaredFeatures, () => undefined),
  ])('%s', (_, run) => run());
});
