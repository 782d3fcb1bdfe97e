import type { ApiServerOptions, ServerEnvironment } from '@coxswain/apiserver';
import type { ApiServerComponent } from '../component.ts';
import { defaultServiceRange, inRanges } from '../nodes/addresses.ts';
import { untilStopped } from '../until-stopped.ts';
import { startServer } from './cluster-server.ts';

export interface ApiServerSettings {
  /** Where the cluster's state is kept, so that a later cluster goes on from there; absent: nowhere. */
  readonly dataDir?: string;
  /** Where objects are kept, instead; opened, or how to, when the server has its keys. The server closes it. */
  readonly store?: NonNullable<ServerEnvironment['store']>;
  /** Where it listens, for those outside of this process; 0: a free port; absent: nowhere until `Cluster.listen`. */
  readonly port?: number;
  /** By default this machine alone can reach the port. */
  readonly bindAddress?: string;
  /** Further flags of kube-apiserver. */
  readonly flags?: ApiServerOptions;
}

/** kube-apiserver, which reaches the kubelets of this process without a socket. */
export function apiServer(settings: ApiServerSettings = {}): ApiServerComponent {
  const { dataDir, store, port, bindAddress = '127.0.0.1', flags = {} } = settings;
  const options = {
    ...(dataDir === undefined ? { memory: true } : { dataDir }),
    ...(port !== undefined && { securePort: port, bindAddress }),
    // As in clusters of kubeadm and kind: network and storage add-ons could not be installed otherwise.
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
