import type { ConfigMap } from '@coxswain/api/core/v1';
import { isForbidden, isNotFound } from '@coxswain/apimachinery/errors';
import { type ClientSet, type Clock, type Logger, SharedIndexInformer } from '@coxswain/client';
import { CertificatePool, type RequestHeaderOptions } from '../authentication/index.ts';

/** How the cluster's API server authenticates its clients, from the ConfigMap extension-apiserver-authentication. */
export interface ClusterAuthentication {
  readonly clientCA?: CertificatePool;
  readonly requestHeader?: RequestHeaderOptions;
}

const namespace = 'kube-system';
const name = 'extension-apiserver-authentication';

/** Reads the ConfigMap once. Returns an empty object when it does not exist. Throws the API server's other errors. */
export async function lookUpClusterAuthentication(clients: ClientSet, logger: Logger): Promise<ClusterAuthentication> {
  try {
    return readClusterAuthentication(await clients.core.v1.configMaps(namespace).get(name));
  } catch (error) {
    if (isNotFound(error)) return {};
    if (isForbidden(error))
      logger.warn(
        `Unable to get configmap/${name} in ${namespace}.  Usually fixed by 'kubectl create rolebinding -n ${namespace} ROLEBINDING_NAME --role=${name}-reader --serviceaccount=YOUR_NS:YOUR_SA'`,
      );
    throw error;
  }
}

export interface FollowOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly onChange: (authentication: ClusterAuthentication) => void;
}

/**
 * Watches the ConfigMap and calls `onChange` after each change, until the signal is aborted. Invalid contents are
 * logged and ignored.
 */
export function followClusterAuthentication(
  clients: ClientSet,
  { clock, logger, onChange }: FollowOptions,
  signal: AbortSignal,
): Promise<void> {
  const configMaps = clients.core.v1.configMaps(namespace);
  const fieldSelector = `metadata.name=${name}`;
  const informer = new SharedIndexInformer<ConfigMap>(
    {
      list: (options) => configMaps.list({ ...options, fieldSelector }),
      watch: (options) => configMaps.watch({ ...options, fieldSelector }),
    },
    { name, clock, logger },
  );
  const changed = (configMap: ConfigMap): void => {
    try {
      onChange(readClusterAuthentication(configMap));
    } catch (error) {
      logger.error('Failed to use configmap', error, { configMap: { namespace, name } });
    }
  };
  informer.addEventHandler({ onAdd: changed, onUpdate: (_, now) => changed(now) });
  return informer.run(signal);
}

/** Throws an Error when the data is invalid. */
function readClusterAuthentication({ data = {} }: ConfigMap): ClusterAuthentication {
  const { 'client-ca-file': clients, 'requestheader-client-ca-file': proxies } = data;
  const list = (key: string): readonly string[] => readList(key, data[`requestheader-${key}`]);
  return {
    ...(clients && { clientCA: CertificatePool.fromPem(clients) }),
    ...(proxies && {
      requestHeader: {
        pool: CertificatePool.fromPem(proxies),
        allowedNames: list('allowed-names'),
        headers: {
          username: list('username-headers'),
          uid: list('uid-headers'),
          group: list('group-headers'),
          extraPrefixes: list('extra-headers-prefix'),
        },
      },
    }),
  };
}

function readList(key: string, text = ''): string[] {
  if (text === '') return [];
  const list: unknown = JSON.parse(text);
  if (!Array.isArray(list) || !list.every((item) => typeof item === 'string'))
    throw new Error(`requestheader-${key} is not a list of strings`);
  return list;
}
