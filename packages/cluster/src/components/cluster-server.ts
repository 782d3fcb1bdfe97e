import {
  ApiServer,
  type ApiServerOptions,
  type CompletedServer,
  completeOptions,
  type RunningApiServer,
  type ServerAuthority,
  type ServerEnvironment,
  startApiServer,
} from '@coxswain/apiserver';
import { formatKubeConfig, newKubeConfig } from '@coxswain/client/kubeconfig';
import type { Store } from '@coxswain/storage';

/** The URL and the credentials for other processes. */
export interface Access {
  /** For example `https://127.0.0.1:6443`. */
  readonly url: string;
  /** The text of a kubeconfig with all rights. */
  readonly kubeconfig: string;
}

/** The API server of a cluster. It listens on a port from the start, or from the first `listen`. */
export interface ClusterServer {
  readonly authority: ServerAuthority;
  readonly transport: RunningApiServer['transport'];
  /** Undefined while it does not listen. */
  readonly access: Access | undefined;
  /** Listens on a free port of this machine, unless it listens already. */
  listen(): Promise<Access>;
  stop(): Promise<void>;
}

/** Starts the API server. Throws when that fails; nothing is left running then. */
export function startServer(options: ApiServerOptions, environment: ServerEnvironment): Promise<ClusterServer> {
  return environment.listen ? startListening(options, environment) : startSilent(options, environment);
}

async function startListening(options: ApiServerOptions, environment: ServerEnvironment): Promise<ClusterServer> {
  const { authority, transport, url = '', kubeconfig = '', stop } = await startApiServer(options, environment);
  const access = { url, kubeconfig };
  return { authority, transport, access, listen: async () => access, stop };
}

async function startSilent(options: ApiServerOptions, environment: ServerEnvironment): Promise<ClusterServer> {
  const asked = { securePort: 0, bindAddress: '127.0.0.1', ...options };
  const completed = await completeOptions(asked, { ...environment, listen: true });
  const { listen: _, ...config } = completed.config;
  const server = new ApiServer(config);
  try {
    await server.start();
  } catch (error) {
    await server.stop();
    throw error;
  }
  let twin: ApiServer | undefined;
  let access: Access | undefined;
  let opening: Promise<Access> | undefined;
  const open = async (): Promise<Access> => {
    twin = new ApiServer(twinConfig(completed.config));
    await twin.start();
    access = await accessTo(completed, twin.address?.port ?? 0);
    return access;
  };
  return {
    authority: completed.authority,
    transport: (user) => server.transport(user),
    get access() {
      return access;
    },
    listen: () => {
      opening ??= open();
      return opening;
    },
    async stop() {
      await twin?.stop();
      await server.stop();
    },
  };
}

/**
 * The configuration of a second server over the same store with the same keys, as in a highly available control plane. It listens, because
 * a server's port cannot be added later, and most clusters never need one.
 */
function twinConfig({ store, dialer, ...config }: CompletedServer['config']): CompletedServer['config'] {
  // The first server owns the store and the dialer and closes them.
  return { ...config, store: unclosable(store), dialer: unclosableDialer(dialer) };
}

const unclosableDialer = (dialer: CompletedServer['config']['dialer']): CompletedServer['config']['dialer'] => ({
  dial: (target, request) => dialer.dial(target, request),
  isLocal: (target) => dialer.isLocal?.(target) ?? false,
  refuse: (isRefused) => dialer.refuse?.(isRefused),
});

const unclosable = (store: Store): Store => ({
  driver: store.driver,
  checkWritable: () => store.checkWritable(),
  currentRevision: () => store.currentRevision(),
  compactedRevision: () => store.compactedRevision(),
  get: (key, options) => store.get(key, options),
  list: (prefix, options) => store.list(prefix, options),
  count: (prefix) => store.count(prefix),
  put: (key, value, options) => store.put(key, value, options),
  delete: (key, options) => store.delete(key, options),
  watch: (prefix, after, handler) => store.watch(prefix, after, handler),
  compact: (revision) => store.compact(revision),
  close: async () => {},
});

async function accessTo({ url, adminKubeconfig }: CompletedServer, port: number): Promise<Access> {
  const admin = adminKubeconfig?.(port);
  if (!admin) throw new Error('there is no admin kubeconfig: the CA of its certificate is not in --client-ca-file');
  const name = 'kubernetes';
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const config = newKubeConfig();
  config.clusters.set(name, {
    server: admin.server,
    'certificate-authority-data': base64(admin.certificateAuthority),
  });
  config.users.set('kubernetes-admin', {
    'client-certificate-data': base64(admin.clientCertificate),
    'client-key-data': base64(admin.clientKey),
  });
  config.contexts.set(name, { cluster: name, user: 'kubernetes-admin' });
  config.currentContext = name;
  return { url: url(port), kubeconfig: await formatKubeConfig(config) };
}
