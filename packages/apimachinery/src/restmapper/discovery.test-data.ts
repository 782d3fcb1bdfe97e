import type { APIResource } from '../meta/discovery.ts';
import type { Discovery } from './discovery.ts';

const resource = (name: string, kind: string, more: Partial<APIResource> = {}): APIResource => ({
  name,
  singularName: kind.toLowerCase(),
  namespaced: true,
  kind,
  verbs: ['get'],
  ...more,
});

const version = (group: string, version: string) => ({
  groupVersion: group === '' ? version : `${group}/${version}`,
  version,
});

/** Two groups that share names, a resource in an old version only, one without a singular, and two resources of one kind. */
export const exampleDiscovery: Discovery = {
  groups: [
    { name: '', versions: [version('', 'v1')], preferredVersion: version('', 'v1') },
    {
      name: 'a.example.com',
      versions: [version('a.example.com', 'v1'), version('a.example.com', 'v1beta1')],
      preferredVersion: version('a.example.com', 'v1'),
    },
    {
      name: 'b.example.com',
      versions: [version('b.example.com', 'v1')],
      preferredVersion: version('b.example.com', 'v1'),
    },
  ],
  resourceLists: [
    {
      groupVersion: 'v1',
      resources: [
        resource('pods', 'Pod', { shortNames: ['po'], categories: ['all'] }),
        resource('pods/log', 'Pod', { singularName: '' }),
        resource('nodes', 'Node', { namespaced: false, shortNames: ['no'] }),
      ],
    },
    {
      groupVersion: 'a.example.com/v1',
      resources: [
        resource('widgets', 'Widget', { shortNames: ['wd'], categories: ['all'] }),
        resource('things', 'Thing', { singularName: '' }),
        resource('gizmos', 'Gizmo', { shortNames: ['gz'] }),
        resource('gizmocopies', 'Gizmo'),
      ],
    },
    {
      groupVersion: 'a.example.com/v1beta1',
      resources: [
        resource('widgets', 'Widget', { shortNames: ['wd'], categories: ['all'] }),
        resource('gadgets', 'Gadget', { namespaced: false }),
      ],
    },
    {
      groupVersion: 'b.example.com/v1',
      resources: [
        resource('widgets', 'Widget', { namespaced: false, shortNames: ['wd'] }),
        resource('gears', 'Gear', { namespaced: false, shortNames: ['wd'] }),
      ],
    },
  ],
};
