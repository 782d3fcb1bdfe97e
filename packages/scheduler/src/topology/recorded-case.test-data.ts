import type { Namespace, Node, Pod } from '@coxswain/api/core/v1';
import type { KubernetesObject } from '@coxswain/apimachinery/meta';
import { ClientSet, RESTClient, SharedInformerFactory } from '@coxswain/client';
import { FakeTransport } from '@coxswain/client/testing';
import { CycleState } from '../framework/cycle-state.ts';
import type { Handle, PluginDefinition } from '../framework/handle.ts';
import { NodeInfo } from '../framework/node-info.ts';
import type { Plugin } from '../framework/plugin.ts';
import { PodInfo } from '../framework/pod-info.ts';
import { RowVersions } from '../framework/row-versions.ts';
import { Status } from '../framework/status.ts';

/** A random cluster and pod, and the results of upstream's plug-in for it. */
export interface RecordedCase {
  readonly args: unknown;
  /** Services and controllers. */
  readonly objects: readonly KubernetesObject[];
  readonly nodes: readonly Node[];
  readonly pods: readonly Pod[];
  readonly pod: Pod;
  /** The nodes to score. */
  readonly candidates: readonly string[];
  /** Pods to remove from a node, and pods to add to it. */
  readonly trial: { readonly node: string; readonly leaving: readonly string[]; readonly coming: readonly Pod[] };
  readonly events: readonly { readonly resource: 'Pod' | 'Node'; readonly before?: Pod; readonly after?: Pod }[];
  readonly expected: Answers;
}

/** The results of a plug-in, with statuses as text. Absent fields stand for success. */
export interface Answers {
  preFilter?: string;
  /** By name of each rejected node. */
  filter?: Record<string, string>;
  trial?: string;
  preScore?: string;
  scores?: readonly number[];
  normalized?: readonly number[];
  hints?: readonly string[];
}

const namespaces: readonly Namespace[] = [
  { metadata: { name: 'n1', labels: { team: 'red' } } },
  { metadata: { name: 'n2', labels: { team: 'blue' } } },
  { metadata: { name: 'n3' } },
];

/** A handle with what these plug-ins use. Its snapshot is always the current contents of `nodes`. */
export function topologyHandle(nodes: readonly NodeInfo[], objects: readonly KubernetesObject[] = []): Handle {
  const informers = new SharedInformerFactory(new ClientSet(new RESTClient(new FakeTransport())));
  const { core, apps } = informers;
  for (const namespace of namespaces) core.v1.namespaces.informer.indexer.add(namespace);
  const byKind = new Map<string, { indexer: { add(object: never): void } }>([
    ['Service', core.v1.services.informer],
    ['ReplicationController', core.v1.replicationControllers.informer],
    ['ReplicaSet', apps.v1.replicaSets.informer],
    ['StatefulSet', apps.v1.statefulSets.informer],
  ]);
  for (const object of objects) byKind.get(object.kind ?? '')?.indexer.add(object as never);
  const snapshot: Handle['snapshot'] = () => ({
    nodes,
    versions: new RowVersions(),
    nodesWithAffinity: nodes.filter(({ podsWithAffinity }) => podsWithAffinity.length > 0),
    nodesWithRequiredAntiAffinity: nodes.filter(
      ({ podsWithRequiredAntiAffinity }) => podsWithRequiredAntiAffinity.length > 0,
    ),
    get: (name) => nodes.find((node) => node.name === name),
    isClaimUsed: () => false,
  });
  return { informers, snapshot } as Handle;
}

export function nodeInfos(nodes: readonly Node[], pods: readonly Pod[]): NodeInfo[] {
  const infos = nodes.map((node) => new NodeInfo(node));
  for (const pod of pods) infos.find(({ name }) => name === pod.spec?.nodeName)?.addPod(new PodInfo(pod));
  return infos;
}

/** The results of our plug-in for the case. */
export function answersOf<Args>(definition: PluginDefinition<Args>, recorded: RecordedCase): Answers {
  const infos = nodeInfos(recorded.nodes, recorded.pods);
  const handle = topologyHandle(infos, recorded.objects);
  const plugin = definition.create(definition.readArgs!(recorded.args), handle);
  const answers = cycleAnswers(plugin, infos, recorded);
  const [ofPods, ofNodes] = plugin.eventsToRegister!();
  const hints = recorded.events.map(({ resource, before, after }) =>
    (resource === 'Pod' ? ofPods : ofNodes)!.hint!(recorded.pod, before, after),
  );
  return { ...answers, hints };
}

/** The results of a plug-in in one scheduling cycle. */
export function cycleAnswers(
  plugin: Plugin,
  infos: readonly NodeInfo[],
  { pod: incoming, pods, candidates, trial }: Pick<RecordedCase, 'pod' | 'pods' | 'candidates' | 'trial'>,
): Answers {
  const state = new CycleState();
  const pod = new PodInfo(incoming);
  const answers: Answers = {};
  const preFilter = plugin.preFilter!(state, pod, infos);
  if (preFilter instanceof Status) answers.preFilter = textOf(preFilter);
  else {
    answers.filter = {};
    for (const info of infos) {
      const status = plugin.filter!(state, pod, info);
      if (status) answers.filter[info.name] = textOf(status);
    }
    const tried = tryOut(plugin, state.clone(), pod, infos, { pods, trial });
    if (tried) answers.trial = textOf(tried);
  }
  const nodes = candidates.map((name) => infos.find((info) => info.name === name)!);
  if (nodes.length > 0) {
    const preScore = plugin.preScore!(state, pod, nodes);
    if (preScore) answers.preScore = textOf(preScore);
    else {
      const scores = nodes.map((node) => plugin.score!(state, pod, node));
      answers.scores = [...scores];
      plugin.normalizeScore!(state, pod, nodes, scores);
      answers.normalized = scores;
    }
  }
  return answers;
}

function tryOut(
  plugin: Plugin,
  state: CycleState,
  pod: PodInfo,
  infos: readonly NodeInfo[],
  { pods, trial }: Pick<RecordedCase, 'pods' | 'trial'>,
): Status | undefined {
  const node = infos.find(({ name }) => name === trial.node)!.clone();
  for (const leaving of pods.filter(({ metadata }) => trial.leaving.includes(metadata.name ?? ''))) {
    node.removePod(leaving);
    plugin.removePod!(state, pod, new PodInfo(leaving), node);
  }
  for (const coming of trial.coming) {
    const info = new PodInfo(coming);
    node.addPod(info);
    plugin.addPod!(state, pod, info, node);
  }
  return plugin.filter!(state, pod, node);
}

const textOf = ({ code, message }: Status): string => `${code} ${message}`;
