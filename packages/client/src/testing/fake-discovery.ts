import { GroupVersion } from '@coxswain/apimachinery/meta';
import type { ResourceTable } from './resource-table.ts';

/** Returns the unaggregated discovery document for a path; undefined for other paths. */
export function discoveryDocument(table: ResourceTable, path: string): object | undefined {
  const groups = table.groups();
  if (path === '/version') return version;
  if (path === '/api') {
    const versions = groups.find(({ name }) => name === '')?.versions.map((it) => it.version) ?? [];
    return { kind: 'APIVersions', versions, serverAddressByClientCIDRs: [] };
  }
  if (path === '/apis') {
    return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.filter(({ name }) => name !== '') };
  }
  const [root, ...rest] = path.split('/').filter(Boolean);
  if (root === 'api' && rest.length === 1) return table.list(rest[0] ?? '');
  if (root !== 'apis') return undefined;
  const [group = '', ...tail] = rest;
  if (tail.length === 1) return table.list(GroupVersion.of(group, tail[0] ?? '').toString());
  const found = tail.length === 0 ? groups.find(({ name }) => name === group) : undefined;
  return found && { kind: 'APIGroup', apiVersion: 'v1', ...found };
}

const version = {
  major: '1',
  minor: '36',
  gitVersion: 'v1.36.0-fake',
  gitCommit: '',
  gitTreeState: '',
  buildDate: '',
  goVersion: '',
  compiler: '',
  platform: '',
};
