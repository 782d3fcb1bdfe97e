import type { ApiServerOptions, ServerEnvironment } from '@coxswain/apiserver';
import type { ApiServerComponent } from '../component.ts';
import { defaultServiceRange, inRanges } from '../nodes/addresses.ts';
import { untilStopped } from '../until-stopped.ts';
import { startServer } from './cluster-server.ts';

export interface ApiServerSettings {
  /** The directory for the cluster's state, which a later cluster can continue from; in memory when absent. */
  readonly dataDir?: string;
  /**
   * The store to use instead: an open one, or a function that opens it when the server has its keys. The server closes
   * it.
   */
  readonly store?: NonNullable<ServerEnvironment['store']>;
  /**
   * The port to listen on for other processes; 0 for a free port. When absent, it does not listen until
   * `Cluster.listen`.
   */
  readonly port?: number;
  /** The address to listen on; 127.0.0.1 by default. */
  readonly bindAddress?: string;
  /** Further flags of kube-apiserver. */
  readonly flags?: ApiServerOptions;
}

/** kube-apiserver. It reaches the kubelets in this process without a socket. */
export function apiServer(settings: ApiServerSettings = {}): ApiServerComponent {
  const { dataDir, store, port, bindAddress = '127.0.0.1', flags = {} } = settings;
  const options = {
    ...(dataDir === undefined ? { memory: true } : { dataDir }),
    ...(port !== undefined && { securePort: port, bindAddress }),
    // As in kubeadm and kind clusters: network and storage add-ons need privileged containers.
    allowPrivileged: true,
    ...flags,
  };
  return {
    name: 'apiserver',
    userAgent: 'kube-apiserver',
    async start({ logger, clock, random, eventLoop, nodes, isRunning, signal }) {
      const server = await startServer(options, {
        logger,
        clock,
        random,
        eventLoop,
        listen: port !== undefined,
        localKubelets: (node) => nodes.dialer(node),
        nobodyAt: inRanges(nodes.hollowRanges(options.serviceClusterIpRange ?? [defaultServiceRange])),
        isLocal: (name) => isRunning(name === 'scheduler' ? 'scheduler' : 'controllers'),
        ...(store && { store }),
      });
      return { server, ended: untilStopped(signal).then(() => server.stop()) };
    },
  };
}
