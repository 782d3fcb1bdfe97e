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

/** Where it can be reached from outside of this process, and as whom. */
export interface Access {
  /** `https://127.0.0.1:6443` */
  readonly url: string;
  /** The text of a kubeconfig with all rights. */
  readonly kubeconfig: string;
}

/** The API server of a cluster: with a port from the start, or with one that is opened when somebody asks for it. */
export interface ClusterServer {
  readonly authority: ServerAuthority;
  readonly transport: RunningApiServer['transport'];
  /** Absent as long as it does not listen. */
  readonly access: Access | undefined;
  /** Listens on a free port of this machine, unless it listens already. */
  listen(): Promise<Access>;
  stop(): Promise<void>;
}

/** Throws what stands in the way of the server; nothing is left running then. */
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
 * Who listens is a second server over the same store, with the same keys, as where there are several for high availability:
 * most clusters never need a port, and a server is made with its port or without.
 */
function twinConfig({ store, dialer, ...config }: CompletedServer['config']): CompletedServer['config'] {
  // Both belong to the first server, which closes them.
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
  if (!admin) throw new Error('--client-ca-file names authorities that our administrator is not of');
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
