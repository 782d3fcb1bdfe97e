import type { Node } from '@coxswain/api/core/v1';
import { GroupResource, newNotFound } from '@coxswain/apimachinery';
import type { RequestContext } from '../http/request-context.ts';
import type { Lister } from '../registry/lister.ts';
import { plainError } from '../registry/plain-error.ts';
import type { DialTarget } from './dialer.ts';

/** The default of `--kubelet-preferred-address-types`: the order of preference of a node's addresses. */
const defaultPreferredAddressTypes: readonly string[] = [
  'Hostname',
  'InternalDNS',
  'InternalIP',
  'ExternalDNS',
  'ExternalIP',
];

export interface KubeletConnectionOptions {
  readonly preferredAddressTypes?: readonly string[];
  /** The port of kubelets whose node status has none. */
  readonly defaultPort?: number;
}

/** Finds the address of a node's kubelet in the node's status. */
export class KubeletConnection {
  readonly #nodes: Lister<Node>;
  readonly #preferredAddressTypes: readonly string[];
  readonly #defaultPort: number;

  constructor(nodes: Lister<Node>, options: KubeletConnectionOptions = {}) {
    this.#nodes = nodes;
    this.#preferredAddressTypes = options.preferredAddressTypes ?? defaultPreferredAddressTypes;
    this.#defaultPort = options.defaultPort ?? 10250;
  }

  /**
   * Returns the target for a node's kubelet. Throws NotFound when the node does not exist, and a 500 without a reason when it has
   * no address of a preferred type.
   */
  target(context: RequestContext, node: string): DialTarget & { readonly node: string } {
    const object = this.#nodes.get('', node);
    // As upstream, the error names the resource of the request: for a request for a pod, `pods`.
    if (!object) throw newNotFound(GroupResource.of(context.info.apiGroup, context.info.resource), node);
    const port = object.status?.daemonEndpoints?.kubeletEndpoint?.Port ?? 0;
    return {
      scheme: 'https',
      host: this.#address(object),
      port: String(port > 0 ? port : this.#defaultPort),
      trust: 'kubelet',
      node,
    };
  }

  #address(node: Node): string {
    const addresses = node.status?.addresses ?? [];
    for (const type of this.#preferredAddressTypes) {
      const match = addresses.find((address) => address.type === type);
      if (match) return match.address;
    }
    const known = addresses.map(({ type, address }) => `{${type} ${address}}`).join(' ');
    throw plainError(`no preferred addresses found; known addresses: [${known}]`);
  }
}
