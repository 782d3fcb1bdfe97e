import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { APIGroup, APIGroupList, APIResourceList } from '../meta/discovery.ts';
import { GroupKind, GroupVersionResource, parseResourceArg } from '../meta/group-version.ts';
import { exampleDiscovery } from './discovery.test-data.ts';
import { type AggregatedDiscovery, type Discovery, fromAggregatedDiscovery } from './discovery.ts';
import {
  AmbiguousKindError,
  AmbiguousResourceError,
  isAmbiguousError,
  isNoMatchError,
  NoKindMatchError,
  NoResourceMatchError,
} from './match-errors.ts';
import { RESTMapper } from './rest-mapper.ts';
import type { RESTMapping } from './version-table.ts';

/** Parses a resource as a user types it: `pods`, `pods.v1.`; `widgets.a.example.com` needs its version. */
function typed(arg: string): GroupVersionResource {
  const { groupVersionResource, groupResource } = parseResourceArg(arg);
  return groupVersionResource ?? groupResource.withVersion('');
}

const printMapping = ({ resource, kind, scope }: RESTMapping): string => `${resource} ${kind} ${scope}`;
const print = (values: readonly unknown[]): string => `[${values.join(' ')}]`;

/** Runs a query such as `resourceFor pods`, and prints the result as upstream's library does. */
function answer(mapper: RESTMapper, question: string): string {
  const [method = '', arg = '', ...versions] = question.split(' ');
  try {
    switch (method) {
      case 'resourceFor':
        return String(mapper.resourceFor(typed(arg)));
      case 'resourcesFor':
        return print(mapper.resourcesFor(typed(arg)));
      case 'kindFor':
        return String(mapper.kindFor(typed(arg)));
      case 'kindsFor':
        return print(mapper.kindsFor(typed(arg)));
      case 'singular':
        return mapper.resourceSingularizer(arg);
      case 'restMapping':
        return printMapping(mapper.restMapping(GroupKind.parse(arg), ...versions));
      case 'restMappings':
        return print(mapper.restMappings(GroupKind.parse(arg), ...versions).map(printMapping));
      case 'arg':
        return printMapping(mapper.mappingForArg(arg));
      case 'category':
        return print(mapper.expandCategory(arg) ?? ['none']);
      default:
        throw new Error(`no such question: ${question}`);
    }
  } catch (error) {
    return `error: ${error instanceof Error ? error.message : error}`;
  }
}

// The expectations are the results of upstream's discovery mapper with its shortcut expander for the same discovery, except for
// categories, which contain each resource once. Those of `arg` are kubectl's.
const answers: [question: string, answer: string][] = [
  ['resourceFor pods', '/v1, Resource=pods'],
  ['resourceFor pod', '/v1, Resource=pods'],
  ['resourceFor po', '/v1, Resource=pods'],
  ['resourceFor Pod', '/v1, Resource=pods'],
  ['resourceFor PODS', '/v1, Resource=pods'],
  ['resourceFor PO', 'error: no matches for /, Resource=PO'],
  ['kindFor PODS', '/v1, Kind=Pod'],
  ['resourceFor po.v1.', '/v1, Resource=pods'],
  ['resourceFor pods.v1.', '/v1, Resource=pods'],
  ['resourceFor pods.v2.', 'error: no matches for /v2, Resource=pods'],
  ['resourceFor pods/log', 'error: no matches for /, Resource=pods/log'],
  ['resourceFor deploy', 'error: no matches for /, Resource=deploy'],
  ['kindsFor deploy.apps', 'error: no matches for apps/, Resource=deploy'],
  ['resourcesFor deployments.v1.apps', 'error: no matches for apps/v1, Resource=deployments'],
  ['resourceFor widgets', 'a.example.com/v1, Resource=widgets'],
  [
    'resourcesFor widget',
    '[a.example.com/v1, Resource=widgets a.example.com/v1beta1, Resource=widgets b.example.com/v1, Resource=widgets]',
  ],
  ['kindFor widgets', 'a.example.com/v1, Kind=Widget'],
  [
    'kindsFor widgets',
    '[a.example.com/v1, Kind=Widget a.example.com/v1beta1, Kind=Widget b.example.com/v1, Kind=Widget]',
  ],
  ['resourceFor widgets.b', 'b.example.com/v1, Resource=widgets'],
  ['resourceFor wd.b', 'b.example.com/v1, Resource=widgets'],
  ['resourceFor widgets.v1beta1.a.example.com', 'a.example.com/v1beta1, Resource=widgets'],
  ['resourceFor widgets.v1.a', 'error: no matches for a/v1, Resource=widgets'],
  ['resourceFor wd', 'a.example.com/v1, Resource=widgets'],
  ['resourcesFor wd', '[a.example.com/v1, Resource=widgets a.example.com/v1beta1, Resource=widgets]'],
  ['resourceFor gadgets', 'a.example.com/v1beta1, Resource=gadgets'],
  ['kindFor gadget.a', 'a.example.com/v1beta1, Kind=Gadget'],
  ['kindFor things', 'a.example.com/v1, Kind=Thing'],
  ['resourceFor thing', 'a.example.com/v1, Resource=things'],
  [
    'resourceFor gizmo',
    'error: /, Resource=gizmo matches multiple resources [a.example.com/v1, Resource=gizmocopies a.example.com/v1, Resource=gizmos]',
  ],
  ['kindFor gizmo', 'a.example.com/v1, Kind=Gizmo'],
  ['resourceFor list', '/v1, Resource=lists'],
  [
    'kindsFor lists',
    '[/v1, Kind=List a.example.com/v1, Kind=List a.example.com/v1beta1, Kind=List b.example.com/v1, Kind=List]',
  ],
  ['kindFor podlist', '/v1, Kind=PodList'],
  ['resourceFor .apps', 'error: a resource must be present, got: apps/, Resource='],
  ['kindFor .apps', 'error: a resource must be present, got: apps/, Resource='],

  ['singular pods', 'pod'],
  ['singular PODS', 'pod'],
  ['singular wd', 'widget'],
  ['singular things', 'thing'],
  ['singular gizmo', 'gizmo'],
  ['singular podlists', 'podlist'],
  ['singular FOO', 'error: no matches for /, Resource=foo'],
  ['singular gadget.a', 'error: no matches for /, Resource=gadget.a'],

  ['restMapping Pod', '/v1, Resource=pods /v1, Kind=Pod namespace'],
  ['restMapping pod', '/v1, Resource=pods /v1, Kind=pod namespace'],
  ['restMapping Pod v1 v2', '/v1, Resource=pods /v1, Kind=Pod namespace'],
  ['restMapping Pod __internal', '/v1, Resource=pods /v1, Kind=Pod namespace'],
  ['restMapping Pod v2', 'error: no matches for kind "Pod" in version "v2"'],
  ['restMapping Pod v3 v2', 'error: no matches for kind "Pod" in versions ["v2" "v3"]'],
  ['restMapping Widget', 'error: no matches for kind "Widget" in group ""'],
  ['restMapping Nope.a.example.com v1', 'error: no matches for kind "Nope" in version "a.example.com/v1"'],
  ['restMapping Widget.a.example.com', 'a.example.com/v1, Resource=widgets a.example.com/v1, Kind=Widget namespace'],
  [
    'restMapping Widget.a.example.com v1beta1 v1',
    'a.example.com/v1beta1, Resource=widgets a.example.com/v1beta1, Kind=Widget namespace',
  ],
  [
    'restMapping Widget.a.example.com v9 v1',
    'a.example.com/v1, Resource=widgets a.example.com/v1, Kind=Widget namespace',
  ],
  [
    'restMappings Widget.a.example.com',
    '[a.example.com/v1, Resource=widgets a.example.com/v1, Kind=Widget namespace a.example.com/v1beta1, Resource=widgets a.example.com/v1beta1, Kind=Widget namespace]',
  ],
  ['restMapping Widget.b.example.com', 'b.example.com/v1, Resource=widgets b.example.com/v1, Kind=Widget root'],
  ['restMapping Gizmo.a.example.com', 'a.example.com/v1, Resource=gizmocopies a.example.com/v1, Kind=Gizmo namespace'],
  ['restMapping List', '/v1, Resource=lists /v1, Kind=List root'],

  ['arg po', '/v1, Resource=pods /v1, Kind=Pod namespace'],
  [
    'arg widgets.v1beta1.a.example.com',
    'a.example.com/v1beta1, Resource=widgets a.example.com/v1beta1, Kind=Widget namespace',
  ],
  ['arg widgets.b.example.com', 'b.example.com/v1, Resource=widgets b.example.com/v1, Kind=Widget root'],
  [
    'arg Gadget.v1beta1.a.example.com',
    'a.example.com/v1beta1, Resource=gadgets a.example.com/v1beta1, Kind=Gadget root',
  ],
  ['arg Node', '/v1, Resource=nodes /v1, Kind=Node root'],
  ['arg foo.apps', 'error: the server doesn\'t have a resource type "foo"'],
  ['arg .apps', 'error: the server doesn\'t have a resource type ""'],

  ['category all', '[pods widgets.a.example.com]'],
  ['category constructor', '[none]'],
];

it.each(answers)('%s → %s', (question, expected) => {
  expect(answer(new RESTMapper(exampleDiscovery), question)).toBe(expected);
});

describe('short names of several resources', () => {
  function warningsFor(arg: string): string[] {
    const warnings: string[] = [];
    new RESTMapper(exampleDiscovery, { onWarning: (message) => warnings.push(message) }).resourceFor(typed(arg));
    return warnings;
  }

  it('give a warning for each that is not chosen', () => {
    expect(warningsFor('wd')).toEqual([
      'short name "wd" could also match lower priority resource widgets.b.example.com',
      'short name "wd" could also match lower priority resource gears.b.example.com',
    ]);
  });

  it.each(['po', 'gz', 'widgets', 'pods'])('give no warning for %s', (arg) => {
    expect(warningsFor(arg)).toEqual([]);
  });

  it('have a lower priority than full names', () => {
    const discovery: Discovery = {
      ...exampleDiscovery,
      resourceLists: exampleDiscovery.resourceLists.map((list) => ({
        ...list,
        resources: list.resources.map((it) => (it.name === 'gears' ? { ...it, shortNames: ['pods', 'node'] } : it)),
      })),
    };
    expect(answer(new RESTMapper(discovery), 'kindFor pods')).toBe('/v1, Kind=Pod');
    expect(answer(new RESTMapper(discovery), 'kindFor node')).toBe('/v1, Kind=Node');
    expect(answer(new RESTMapper(discovery), 'kindFor pods.b')).toBe('b.example.com/v1, Kind=Gear');
  });
});

describe('preference', () => {
  it('follows the preferred version, wherever it is listed', () => {
    const groups = exampleDiscovery.groups.map(
      (group): APIGroup =>
        group.name === 'a.example.com'
          ? { ...group, preferredVersion: { groupVersion: 'a.example.com/v1beta1', version: 'v1beta1' } }
          : group,
    );
    const mapper = new RESTMapper({ ...exampleDiscovery, groups });
    expect(answer(mapper, 'kindFor widgets')).toBe('a.example.com/v1beta1, Kind=Widget');
    expect(answer(mapper, 'restMapping Widget.a.example.com')).toContain('a.example.com/v1beta1, Kind=Widget');
  });

  it('follows the order of groups, with the core group before all', () => {
    const mapper = new RESTMapper({ ...exampleDiscovery, groups: [...exampleDiscovery.groups].reverse() });
    expect(answer(mapper, 'kindFor widgets')).toBe('b.example.com/v1, Kind=Widget');
    expect(answer(mapper, 'kindFor lists')).toBe('/v1, Kind=List');
  });

  it('leaves out versions whose resources are not known', () => {
    const resourceLists = exampleDiscovery.resourceLists.filter((list) => list.groupVersion !== 'a.example.com/v1');
    const mapper = new RESTMapper({ ...exampleDiscovery, resourceLists });
    expect(answer(mapper, 'kindFor widgets')).toBe('a.example.com/v1beta1, Kind=Widget');
  });
});

describe('errors', () => {
  const mapper = new RESTMapper(exampleDiscovery);
  const thrownBy = (call: () => unknown): unknown => {
    try {
      return call();
    } catch (error) {
      return error;
    }
  };

  it('have classes with the requested resource or kind', () => {
    const noResource = thrownBy(() => mapper.resourceFor(typed('foo')));
    expect(noResource).toBeInstanceOf(NoResourceMatchError);
    expect(noResource).toHaveProperty('partialResource', GroupVersionResource.of('', '', 'foo'));
    const noKind = thrownBy(() => mapper.restMapping(GroupKind.of('', 'Foo'), 'v1'));
    expect(noKind).toBeInstanceOf(NoKindMatchError);
    expect([noResource, noKind].map(isNoMatchError)).toEqual([true, true]);
    const ambiguous = thrownBy(() => mapper.resourceFor(typed('gizmo')));
    expect(ambiguous).toBeInstanceOf(AmbiguousResourceError);
    expect(isAmbiguousError(ambiguous)).toBe(true);
    expect(isNoMatchError(ambiguous)).toBe(false);
  });

  it('name the kinds of a group that discovery lists twice', () => {
    const { groups } = exampleDiscovery;
    const doubled = new RESTMapper({ ...exampleDiscovery, groups: [...groups, ...groups] });
    const error = thrownBy(() => doubled.restMapping(GroupKind.of('', 'Pod')));
    expect(error).toBeInstanceOf(AmbiguousKindError);
    expect(error).toHaveProperty('message', '/, Kind=Pod matches multiple kinds [/v1, Kind=Pod /v1, Kind=Pod]');
  });

  it('print resources and kinds when both match', () => {
    const pods = GroupVersionResource.of('', 'v1', 'pods');
    const kind = pods.groupVersion.withKind('Pod');
    const text = (matching: ConstructorParameters<typeof AmbiguousResourceError>[1]): string =>
      new AmbiguousResourceError(pods, matching).message;
    expect(text({ resources: [pods], kinds: [kind] })).toBe(
      '/v1, Resource=pods matches multiple resources [/v1, Resource=pods] and kinds [/v1, Kind=Pod]',
    );
    expect(text({})).toBe('/v1, Resource=pods matches multiple resources or kinds');
  });
});

describe('fromAggregatedDiscovery', () => {
  const document: AggregatedDiscovery = {
    items: [
      {
        metadata: { name: 'a.example.com' },
        versions: [
          { version: 'v2', freshness: 'Stale', resources: [] },
          {
            version: 'v1',
            freshness: 'Current',
            resources: [
              {
                resource: 'widgets',
                responseKind: { group: '', version: '', kind: 'Widget' },
                scope: 'Namespaced',
                singularResource: 'widget',
                verbs: ['get'],
                shortNames: ['wd'],
                categories: ['all'],
                subresources: [
                  {
                    subresource: 'scale',
                    responseKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
                    verbs: ['get'],
                  },
                ],
              },
              { resource: 'parents', scope: 'Cluster', singularResource: 'parent', verbs: [], subresources: [] },
            ],
          },
        ],
      },
    ],
  };

  it('reads groups, resources and subresources, but no stale versions and no resources without a kind', () => {
    const version = { groupVersion: 'a.example.com/v1', version: 'v1' };
    const widget = { singularName: 'widget', namespaced: true, verbs: ['get'] };
    expect(fromAggregatedDiscovery(document)).toEqual({
      groups: [{ name: 'a.example.com', versions: [version], preferredVersion: version }],
      resourceLists: [
        {
          groupVersion: 'a.example.com/v1',
          resources: [
            { ...widget, name: 'widgets', kind: 'Widget', shortNames: ['wd'], categories: ['all'] },
            { ...widget, name: 'widgets/scale', kind: 'Scale', group: 'autoscaling', version: 'v1' },
          ],
        },
      ],
    });
    expect(answer(new RESTMapper(fromAggregatedDiscovery(document)), 'kindFor wd')).toBe(
      'a.example.com/v1, Kind=Widget',
    );
  });
});

const upstream = new URL('../../../../../shared/upstream/v1.36.4/discovery/', import.meta.url);

describe.skipIf(!existsSync(upstream))('the discovery of v1.36', () => {
  const read = <T>(name: string): T => JSON.parse(readFileSync(new URL(name, upstream), 'utf8'));

  const load = (): Discovery => {
    const core: APIGroup = { name: '', versions: [{ groupVersion: 'v1', version: 'v1' }] };
    const groups = [core, ...read<APIGroupList>('apis.json').groups];
    const resourceLists = groups.flatMap(({ name, versions }) =>
      versions.map(({ version }) =>
        read<APIResourceList>(name === '' ? `api__${version}.json` : `apis__${name}__${version}.json`),
      ),
    );
    return { groups, resourceLists };
  };

  it.each([
    ['kindFor deploy', 'apps/v1, Kind=Deployment'],
    ['kindFor deploy.app', 'apps/v1, Kind=Deployment'],
    ['resourceFor deployment.app', 'apps/v1, Resource=deployments'],
    ['resourceFor storageclass.storage', 'storage.k8s.io/v1, Resource=storageclasses'],
    ['resourcesFor ev', '[/v1, Resource=events events.k8s.io/v1, Resource=events]'],
    ['kindFor events', '/v1, Kind=Event'],
    ['resourceFor hpa', 'autoscaling/v2, Resource=horizontalpodautoscalers'],
    ['resourceFor horizontalpodautoscalers.v1.autoscaling', 'autoscaling/v1, Resource=horizontalpodautoscalers'],
    ['kindFor endpoints', '/v1, Kind=Endpoints'],
    ['singular endpoints', 'endpoints'],
    [
      'restMapping HorizontalPodAutoscaler.autoscaling',
      'autoscaling/v2, Resource=horizontalpodautoscalers autoscaling/v2, Kind=HorizontalPodAutoscaler namespace',
    ],
    ['arg event.events.k8s.io', 'events.k8s.io/v1, Resource=events events.k8s.io/v1, Kind=Event namespace'],
    [
      'category all',
      '[pods replicationcontrollers services daemonsets.apps deployments.apps replicasets.apps statefulsets.apps horizontalpodautoscalers.autoscaling cronjobs.batch jobs.batch]',
    ],
  ])('%s → %s', (question, expected) => {
    expect(answer(new RESTMapper(load()), question)).toBe(expected);
  });

  it('maps every resource to its kind and back', () => {
    const discovery = load();
    const mapper = new RESTMapper(discovery);
    let count = 0;
    for (const { groupVersion, resources } of discovery.resourceLists) {
      const [version = '', group = ''] = groupVersion.split('/').reverse();
      for (const { name, kind, namespaced } of resources.filter((it) => !it.name.includes('/'))) {
        const resource = GroupVersionResource.of(group, version, name);
        const found = mapper.restMapping(GroupKind.of(group, kind), version);
        expect(printMapping(found)).toBe(
          `${resource} ${resource.groupVersion.withKind(kind)} ${namespaced ? 'namespace' : 'root'}`,
        );
        if (group !== '') expect(mapper.kindFor(resource)).toBe(found.kind);
        count++;
      }
    }
    expect(count).toBeGreaterThan(80);
  });

  it('is the same from aggregated discovery', () => {
    const plain = load();
    const aggregated = fromAggregatedDiscovery(read<AggregatedDiscovery>('aggregated_v2.json'));
    const names = ({ resourceLists }: Discovery): string[] =>
      resourceLists
        .filter(({ groupVersion }) => groupVersion.includes('/'))
        .flatMap(({ groupVersion, resources }) =>
          resources.map(({ name, kind, namespaced, singularName, shortNames = [], categories = [] }) =>
            [groupVersion, name, kind, namespaced, name.includes('/') ? '' : singularName, shortNames, categories].join(
              ' ',
            ),
          ),
        )
        .sort();
    expect(names(aggregated)).toEqual(names(plain));
  });
});
