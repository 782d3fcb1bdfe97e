import type { Binding, Node, Pod } from '@coxswain/api/core/v1';
import { readJson, writeJson } from '@coxswain/apimachinery/codec/json';
import { isJsonObject } from '@coxswain/apimachinery/json';
import { durationToMs } from '@coxswain/apimachinery/time';
import { type Clock, childSignal, type Transport } from '@coxswain/client';
import type { ExtenderConfig } from '../config/types.ts';
import type { Extender, ExtenderFilterResult, Victims } from '../framework/extender.ts';
import { NodeInfo } from '../framework/node-info.ts';

const defaultTimeoutMs = 5000;

/** An extender that is called by POST requests with JSON, with one path for each of its verbs. */
export class HttpExtender implements Extender {
  readonly name: string;
  readonly isIgnorable: boolean;
  readonly isFilter: boolean;
  readonly isPrioritizer: boolean;
  readonly isBinder: boolean;
  readonly supportsPreemption: boolean;
  readonly weight: number;
  readonly #config: ExtenderConfig;
  readonly #transport: Transport;
  readonly #clock: Clock;
  readonly #managedResources: ReadonlySet<string>;

  /** Requests of the transport are relative to `urlPrefix`. */
  constructor(config: ExtenderConfig, transport: Transport, clock: Clock) {
    this.name = config.urlPrefix;
    this.isIgnorable = config.ignorable ?? false;
    this.isFilter = !!config.filterVerb;
    this.isPrioritizer = !!config.prioritizeVerb;
    this.isBinder = !!config.bindVerb;
    this.supportsPreemption = !!config.preemptVerb;
    this.weight = config.weight ?? 0;
    this.#config = config;
    this.#transport = transport;
    this.#clock = clock;
    this.#managedResources = new Set(config.managedResources?.map(({ name }) => name));
  }

  isInterested({ spec }: Pod): boolean {
    if (this.#managedResources.size === 0) return true;
    const containers = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
    return containers.some(({ resources }) =>
      [resources?.requests, resources?.limits].some((list) =>
        Object.keys(list ?? {}).some((name) => this.#managedResources.has(name)),
      ),
    );
  }

  async filter(pod: Pod, nodes: readonly NodeInfo[], signal: AbortSignal): Promise<ExtenderFilterResult> {
    const { filterVerb, nodeCacheCapable } = this.#config;
    if (!filterVerb) return { nodes, failed: {}, failedAndUnresolvable: {} };
    const answer = new Answer(await this.#send(filterVerb, this.#args(pod, nodes), signal));
    const error = answer.get('Error');
    if (error) throw new Error(String(error));
    const byName = new Map(nodes.map((node) => [node.name, node]));
    const names = answer.get('NodeNames');
    const list = answer.get('Nodes');
    let left: NodeInfo[] = [];
    if (nodeCacheCapable && Array.isArray(names)) {
      left = names.map((name: unknown) => byName.get(String(name)) ?? unknownNode(this.name, String(name)));
    } else if (isJsonObject(list) && Array.isArray(list.items)) {
      left = list.items.map((node: Node) => byName.get(node.metadata.name ?? '') ?? new NodeInfo(node));
    }
    return {
      nodes: left,
      failed: messagesIn(answer.get('FailedNodes')),
      failedAndUnresolvable: messagesIn(answer.get('FailedAndUnresolvableNodes')),
    };
  }

  async prioritize(pod: Pod, nodes: readonly NodeInfo[], signal: AbortSignal): Promise<ReadonlyMap<string, number>> {
    const { prioritizeVerb } = this.#config;
    if (!prioritizeVerb) return new Map();
    const answer = await this.#send(prioritizeVerb, this.#args(pod, nodes), signal);
    if (!Array.isArray(answer)) throw new Error(`extender ${this.name} did not answer with a list of priorities`);
    const entries = answer.map((each: unknown) => new Answer(each));
    return new Map(entries.map((each) => [String(each.get('Host')), Number(each.get('Score') ?? 0)]));
  }

  async bind({ metadata, target }: Binding, signal: AbortSignal): Promise<void> {
    const { bindVerb } = this.#config;
    if (!bindVerb) throw new Error('unexpected empty bindVerb in extender');
    const { name: PodName, namespace: PodNamespace, uid: PodUID } = metadata ?? {};
    const answer = new Answer(await this.#send(bindVerb, { PodName, PodNamespace, PodUID, Node: target.name }, signal));
    const error = answer.get('Error');
    if (error) throw new Error(String(error));
  }

  async processPreemption(
    pod: Pod,
    candidates: ReadonlyMap<string, Victims>,
    nodeOf: (name: string) => NodeInfo | undefined,
    signal: AbortSignal,
  ): Promise<Map<string, Victims>> {
    const { preemptVerb, nodeCacheCapable } = this.#config;
    if (!preemptVerb) {
      throw new Error(`preempt verb is not defined for extender ${this.name} but run into ProcessPreemption`);
    }
    const victimsByNode = Object.fromEntries(
      [...candidates].map(([node, { pods, numPDBViolations: NumPDBViolations }]) => [
        node,
        { Pods: nodeCacheCapable ? pods.map(({ metadata: { uid: UID } }) => ({ UID })) : pods, NumPDBViolations },
      ]),
    );
    const args = {
      Pod: pod,
      NodeNameToVictims: nodeCacheCapable ? null : victimsByNode,
      NodeNameToMetaVictims: nodeCacheCapable ? victimsByNode : null,
    };
    const left = new Answer(await this.#send(preemptVerb, args, signal)).get('NodeNameToMetaVictims');
    if (!isJsonObject(left)) return new Map();
    return new Map(Object.entries(left).map(([name, victims]) => [name, this.#victims(name, victims, nodeOf)]));
  }

  #victims(nodeName: string, value: unknown, nodeOf: (name: string) => NodeInfo | undefined): Victims {
    const node = nodeOf(nodeName);
    if (!node) throw new Error(`nodeinfo not found for node name "${nodeName}"`);
    const victims = new Answer(value);
    const metaPods = victims.get('Pods');
    const pods = (Array.isArray(metaPods) ? metaPods : []).map((metaPod: unknown): Pod => {
      const uid = String(new Answer(metaPod).get('UID'));
      const known = node.pods.find(({ pod }) => pod.metadata.uid === uid);
      if (known) return known.pod;
      throw new Error(
        `extender: ${this.name} claims to preempt pod (UID: ${uid}) on node: ${nodeName}, but the pod is not found on that node`,
      );
    });
    return { pods, numPDBViolations: Number(victims.get('NumPDBViolations') ?? 0) };
  }

  #args(pod: Pod, nodes: readonly NodeInfo[]): object {
    const isCapable = this.#config.nodeCacheCapable ?? false;
    return {
      Pod: pod,
      Nodes: isCapable ? null : { metadata: {}, items: nodes.map(({ node }) => node) },
      NodeNames: isCapable ? nodes.map(({ name }) => name) : null,
    };
  }

  async #send(verb: string, args: object, signal: AbortSignal): Promise<unknown> {
    const timeoutMs = durationToMs(this.#config.httpTimeout ?? '0s') || defaultTimeoutMs;
    const onTimeout = (): Error => new Error(`extender ${this.name} did not answer within ${timeoutMs} ms`);
    const child = childSignal({ parent: signal, timeoutMs, clock: this.#clock, onTimeout });
    try {
      const { status, body } = await this.#transport.send({
        method: 'POST',
        url: `/${verb}`,
        headers: { 'content-type': 'application/json' },
        body: Buffer.from(writeJson(args)),
        signal: child.signal,
      });
      const bytes = await body.bytes();
      if (status !== 200) {
        const url = `${this.name.replace(/\/+$/, '')}/${verb}`;
        throw new Error(`failed ${verb} with extender at URL ${url}, code ${status}`);
      }
      return readJson(Buffer.from(bytes).toString('utf8'));
    } finally {
      child.dispose();
    }
  }
}

/** A response object with case-insensitive field names, as in Go. */
class Answer {
  readonly #fields: ReadonlyMap<string, unknown>;

  constructor(value: unknown) {
    const entries = isJsonObject(value) ? Object.entries(value) : [];
    this.#fields = new Map(entries.map(([name, field]) => [name.toLowerCase(), field]));
  }

  get(name: string): unknown {
    return this.#fields.get(name.toLowerCase());
  }
}

const messagesIn = (value: unknown): Record<string, string> =>
  Object.fromEntries(Object.entries(isJsonObject(value) ? value : {}).map(([name, text]) => [name, String(text)]));

function unknownNode(extender: string, name: string): never {
  throw new Error(`extender "${extender}" claims a filtered node "${name}" which is not found in the input node list`);
}
