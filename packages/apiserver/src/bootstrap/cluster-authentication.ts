import { X509Certificate } from 'node:crypto';
import type { ConfigMap } from '@coxswain/api/core/v1';
import { jsonEquals } from '@coxswain/apimachinery';
import { pemBlocks, pemText } from '@coxswain/apimachinery/der';
import { ensureObjects } from './ensure-objects.ts';
import { startPeriodicTask } from './periodic-task.ts';
import type { BootstrapContext, PostStartHook } from './post-start-hook.ts';

/** How this server authenticates clients. Extension API servers read it to authenticate them in the same way. */
export interface ClusterAuthenticationInfo {
  /** The CA of client certificates, as PEM. */
  readonly clientCA?: string;
  /** Absent without a front proxy. */
  readonly requestHeader?: RequestHeaderInfo;
}

interface RequestHeaderInfo {
  /** The CA of the front proxy's certificate, as PEM. */
  readonly clientCA: string;
  readonly usernameHeaders: readonly string[];
  readonly uidHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly extraHeaderPrefixes: readonly string[];
  readonly allowedNames: readonly string[];
}

/** How long an expired certificate is kept. */
const slackMs = 5 * 60_000;

/** The ConfigMap `extension-apiserver-authentication`. Data of other servers is kept. */
export function clusterAuthentication(
  context: BootstrapContext,
  /** Called every minute, since the files may change. */
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
        failure: 'error writing the ConfigMap extension-apiserver-authentication',
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

/** Merges the existing data with this server's, without duplicates. */
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
    // UID headers are a later addition: the key is written only where there are any.
    if (items.length > 0 || field !== 'uidHeaders') data[key] = JSON.stringify(items);
  }
  return data;
}

/** Throws an Error when the text is not a JSON list of strings. */
function parseList(text = ''): string[] {
  const list: unknown = text === '' ? [] : JSON.parse(text);
  if (!Array.isArray(list) || !list.every((item) => typeof item === 'string'))
    throw new Error('the existing data is not a list of strings');
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
