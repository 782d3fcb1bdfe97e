import { X509Certificate } from 'node:crypto';
import type { Clock } from '@coxswain/apimachinery/clock';
import type { Impersonation, RestConfig, TlsConfig } from '../config/rest-config.ts';
import type { Logger, Metrics } from '../observe/index.ts';
import { confirmUsable } from './confirm-usable.ts';
import type { ExecOptions } from './credentials/exec-credentials.ts';
import type { ExecCluster } from './credentials/exec-plugin.ts';
import { WatchedFile } from './credentials/watched-file.ts';
import type { AuthInfo, Cluster, KubeConfig } from './kubeconfig.ts';
import type { KubeConfigLocation } from './kubeconfig-files.ts';
import { type ConfigOverrides, chooseContext } from './overrides.ts';
import { userCredentials } from './user-credentials.ts';

export interface RestConfigForOptions {
  readonly overrides?: ConfigOverrides;
  /** Options for running credential plug-ins. */
  readonly exec?: ExecOptions;
  /** Where the config was loaded from; new tokens of auth providers are written there. */
  readonly location?: KubeConfigLocation;
  /** Namespace for contexts without one; `default` if not given. */
  readonly defaultNamespace?: string;
  readonly clock?: Clock;
  readonly logger?: Logger;
  readonly metrics?: Metrics;
}

/**
 * Returns the RestConfig of a kubeconfig's current context, or of the one that the overrides select. Credentials and
 * CAs in files are re-read while the config is in use. Rejects with clientcmd's messages, and with an
 * `InvalidConfigurationError` for unusable configurations.
 */
export async function restConfigFor(config: KubeConfig, options: RestConfigForOptions = {}): Promise<RestConfig> {
  const { overrides = {}, clock, logger, metrics } = options;
  const chosen = chooseContext(config, overrides);
  await confirmUsable(config, overrides, chosen);
  const { cluster, user, context, userName } = chosen;
  const server = serverUrl(cluster.server ?? '');
  const impersonate = impersonation(user);
  const common = { ...(clock && { clock }), ...(logger && { logger }) };
  const base: RestConfig = {
    server,
    namespace: context.namespace || (options.defaultNamespace ?? 'default'),
    ...(impersonate && { impersonate }),
    ...(cluster['proxy-url'] && { proxyUrl: cluster['proxy-url'] }),
    ...(cluster['disable-compression'] && { disableCompression: true }),
    ...(overrides.timeoutMs && { timeoutMs: overrides.timeoutMs }),
    ...(clock && { clock }),
  };
  // Credentials are never sent over an unencrypted connection.
  if (!server.startsWith('https://')) return base;
  const tls = await tlsConfig(cluster, common);
  const credentials = await userCredentials(user, {
    userName,
    execCluster: () => execCluster(cluster, server, tls),
    exec: { ...(clock && { clock }), ...(metrics && { metrics }), ...options.exec },
    location: options.location,
    ...common,
  });
  return { ...base, tls, ...(credentials && { credentials }) };
}

/** Normalizes the server's URL. Text without a scheme is a host, with http. Query and fragment are dropped. */
function serverUrl(text: string): string {
  const written = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  const url = URL.canParse(written) ? new URL(written) : undefined;
  if (!url || (written !== text && url.pathname !== '/'))
    throw new Error(`host must be a URL or a host:port pair: ${JSON.stringify(text)}`);
  if (url.pathname.length <= 1) return url.origin;
  return url.origin + url.pathname;
}

function impersonation(user: AuthInfo): Impersonation | undefined {
  if (!user.as) return undefined;
  return {
    userName: user.as,
    ...(user['as-uid'] && { uid: user['as-uid'] }),
    ...(user['as-groups'] && { groups: user['as-groups'] }),
    ...(user['as-user-extra'] && { extra: user['as-user-extra'] }),
  };
}

/** How often CA files are re-read. CAs are rotated with long overlaps, but a new one should take effect soon. */
const authorityPeriodMs = 60_000;

async function tlsConfig(
  cluster: Cluster,
  common: { readonly clock?: Clock; readonly logger?: Logger },
): Promise<TlsConfig> {
  const data = cluster['certificate-authority-data'];
  const file = cluster['certificate-authority'];
  const insecure = cluster['insecure-skip-tls-verify'];
  if (insecure && (data || file))
    throw new Error('specifying a root certificates file with the insecure flag is not allowed');
  const serverName = cluster['tls-server-name'];
  return {
    ...(serverName && { serverName }),
    ...(insecure && { insecureSkipTlsVerify: true }),
    ...(data && { ca: checkAuthority(Buffer.from(data, 'base64').toString()) }),
    ...(file && !data && { ca: await authorityFile(file, common) }),
  };
}

/** Returns a function that re-reads the CA file periodically. Invalid content does not replace a valid CA. */
export async function authorityFile(
  path: string,
  common: { readonly clock?: Clock; readonly logger?: Logger },
): Promise<() => Promise<string>> {
  const file = new WatchedFile(path, { periodMs: authorityPeriodMs, ...common });
  let good = checkAuthority(await file.read());
  return async () => {
    const text = await file.read();
    if (text !== good && isAuthority(text)) good = text;
    return good;
  };
}

function checkAuthority(pem: string): string {
  if (isAuthority(pem)) return pem;
  throw new Error('unable to load root certificates: unable to parse bytes as PEM block');
}

function isAuthority(pem: string): boolean {
  try {
    return new X509Certificate(pem).validTo !== '';
  } catch {
    return false;
  }
}

async function execCluster(cluster: Cluster, server: string, tls: TlsConfig): Promise<ExecCluster> {
  const ca = typeof tls.ca === 'function' ? await tls.ca() : tls.ca;
  const reserved = 'client.authentication.k8s.io/exec';
  return {
    server,
    ...(tls.serverName && { 'tls-server-name': tls.serverName }),
    ...(tls.insecureSkipTlsVerify && { 'insecure-skip-tls-verify': true }),
    ...(ca && { 'certificate-authority-data': Buffer.from(ca).toString('base64') }),
    ...(cluster['proxy-url'] && { 'proxy-url': cluster['proxy-url'] }),
    ...(cluster['disable-compression'] && { 'disable-compression': true }),
    config: cluster.extensions?.find(({ name }) => name === reserved)?.extension ?? null,
  };
}
