import type { ServerStorageVersion, StorageVersion } from '../../generated/apiserverinternal/v1alpha1.ts';
import { translateTimestampSince } from '../../strategy/print.ts';
import type { GroupVersionBehaviour, Strategy } from '../../strategy/strategy.ts';
import { columns } from '../../strategy/table.ts';
import { validateStorageVersionName, validateStorageVersionStatus } from './validation.ts';

const shownServers = 3;

function serversText(servers: readonly ServerStorageVersion[]): string {
  const text = servers
    .slice(0, shownServers)
    .map(({ apiServerID, encodingVersion }) => `${apiServerID}=${encodingVersion}`)
    .join(',');
  if (servers.length > shownServers) return `${text} + ${servers.length - shownServers} more...`;
  return text || '<unset>';
}

const strategy: Strategy<StorageVersion> = {
  validateName: validateStorageVersionName,
  allowUnconditionalUpdate: false,
  subresources: { status: { owns: ['status'], metadata: 'none', validateUpdate: validateStorageVersionStatus } },
  table: {
    columns: columns('Name', 'CommonEncodingVersion', 'StorageVersions', 'Age'),
    row: ({ metadata, status }, context) => [
      metadata.name ?? '',
      status?.commonEncodingVersion ?? '<unset>',
      serversText(status?.storageVersions ?? []),
      translateTimestampSince(metadata.creationTimestamp, context),
    ],
  },
};

export const behaviour: GroupVersionBehaviour = {
  group: 'internal.apiserver.k8s.io',
  version: 'v1alpha1',
  strategies: { StorageVersion: strategy },
};
