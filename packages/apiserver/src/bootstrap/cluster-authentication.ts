import { X509Certificate } from 'node:crypto';
import type { ConfigMap } from '@coxswain/api/core/v1';
import { jsonEquals } from '@coxswain/apimachinery';
import { pemBlocks, pemText } from '@coxswain/apimachinery/der';
import { ensureObjects } from './ensure-objects.ts';
import { startPeriodicTask } from './periodic-task.ts';
import type { BootstrapContext, PostStartHook } from './post-start-hook.ts';

/** How this server knows its clients, for extension servers that should know them in the same way. */
export interface ClusterAuthenticationInfo {
  /** PEM: who signs the certificates of clients. */
  readonly clientCA?: string;
  /** Absent: there is no front proxy. */
  readonly requestHeader?: RequestHeaderInfo;
}

interface RequestHeaderInfo {
  /** PEM: who signs the certificate of the front proxy. */
  readonly clientCA: string;
  readonly usernameHeaders: readonly string[];
  readonly uidHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly extraHeaderPrefixes: readonly string[];
  readonly allowedNames: readonly string[];
}

/** A certificate stays in the list for so long after it has expired. */
const slackMs = 5 * 60_000;

/** The ConfigMap `extension-apiserver-authentication`. What other servers put there stays there. */
export function clusterAuthentication(
  context: BootstrapContext,
  /** Asked every minute: files may change. */
  info: () => ClusterAuthenticationInfo,
): PostStartHook {
  const ensure = async (): Promise<void> => {
    const wanted: ConfigMap = {
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { name: 'extension-apiserver-authentication', namespace: 'kube-system' },
      ...withData(mergeData(info(), {}, context.now())),
    };
    await ensureObjects(context, { group: '', resource: 'configmaps' }, [wanted], (current) => {
      const data = mergeData(info(), current.data ?? {}, context.now());
      const { data: _, ...rest } = current;
      return jsonEquals(data, current.data ?? {}) ? undefined : { ...rest, ...withData(data) };
    });
  };
  return {
    name: 'start-cluster-authentication-info-controller',
    start: (signal) =>
      startPeriodicTask(ensure, {
        failure: 'error writing how clients are authenticated',
        intervalMs: 60_000,
        signal,
        clock: context.clock,
        logger: context.logger,
      }),
  };
}

const withData = (data: Record<string, string>): Pick<ConfigMap, 'data'> =>
  Object.keys(data).length > 0 ? { data } : {};

const listKeys = [
  ['requestheader-username-headers', 'usernameHeaders'],
  ['requestheader-uid-headers', 'uidHeaders'],
  ['requestheader-group-headers', 'groupHeaders'],
  ['requestheader-extra-headers-prefix', 'extraHeaderPrefixes'],
  ['requestheader-allowed-names', 'allowedNames'],
] as const;

/** What is there already and what this server says, each thing once. */
function mergeData(
  { clientCA, requestHeader }: ClusterAuthenticationInfo,
  existing: Readonly<Record<string, string>>,
  now: Date,
): Record<string, string> {
  const data: Record<string, string> = {};
  const clients = mergeCertificates([existing['client-ca-file'], clientCA], now);
  if (clients !== '') data['client-ca-file'] = clients;
  const proxies = mergeCertificates([existing['requestheader-client-ca-file'], requestHeader?.clientCA], now);
  if (proxies === '') return data;
  data['requestheader-client-ca-file'] = proxies;
  for (const [key, field] of listKeys) {
    const items = [...new Set([...parseList(existing[key]), ...(requestHeader?.[field] ?? [])])];
    // The newest of them, which others may not know, appears only where it is used.
    if (items.length > 0 || field !== 'uidHeaders') data[key] = JSON.stringify(items);
  }
  return data;
}

/** Throws an Error when somebody wrote something else there. */
function parseList(text = ''): string[] {
  const list: unknown = text === '' ? [] : JSON.parse(text);
  if (!Array.isArray(list) || !list.every((item) => typeof item === 'string'))
    throw new Error('what is there is no list of strings');
  return list;
}

function mergeCertificates(bundles: readonly (string | undefined)[], now: Date): string {
  const seen = new Set<string>();
  for (const bundle of bundles) {
    for (const { type, bytes } of pemBlocks(bundle ?? '')) {
      if (type !== 'CERTIFICATE') continue;
      if (Date.parse(new X509Certificate(bytes).validTo) > now.getTime() - slackMs) seen.add(pemText(type, bytes));
    }
  }
  return [...seen].join('');
}
