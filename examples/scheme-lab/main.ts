import { pathToFileURL } from 'node:url';
import type { DaemonSet, Deployment, ReplicaSet, StatefulSet } from '@coxswain/api/apps/v1';
import type { Node, Pod, Service } from '@coxswain/api/core/v1';
import {
  type APIGroup,
  type APIGroupList,
  type APIResourceList,
  type APIVersions,
  defineType,
  GroupVersion,
  Scheme,
  type Status,
} from '@coxswain/apimachinery';

const coreV1 = GroupVersion.of('', 'v1');
const appsV1 = GroupVersion.of('apps', 'v1');

/** Returns a scheme with a few kinds of two groups, and the unversioned types that all groups share. */
export function buildScheme(): Scheme {
  const scheme = new Scheme('scheme-lab');
  scheme.addKnownTypes(
    coreV1,
    defineType<Pod>('core.v1.Pod'),
    defineType<Service>('core.v1.Service'),
    defineType<Node>('core.v1.Node'),
  );
  scheme.addKnownTypes(
    appsV1,
    defineType<Deployment>('apps.v1.Deployment'),
    defineType<ReplicaSet>('apps.v1.ReplicaSet'),
    defineType<StatefulSet>('apps.v1.StatefulSet'),
    defineType<DaemonSet>('apps.v1.DaemonSet'),
  );
  scheme.addUnversionedTypes(
    coreV1,
    defineType<Status>('meta.v1.Status'),
    defineType<APIVersions>('meta.v1.APIVersions'),
    defineType<APIGroupList>('meta.v1.APIGroupList'),
    defineType<APIGroup>('meta.v1.APIGroup'),
    defineType<APIResourceList>('meta.v1.APIResourceList'),
  );
  return scheme.freeze();
}

/** Returns the contents of the scheme as lines. */
export function run(): string[] {
  const scheme = buildScheme();
  const lines: string[] = [];
  const section = (title: string, entries: Iterable<readonly [unknown, unknown]>): void => {
    lines.push(`${title}:`);
    for (const [from, to] of entries) lines.push(`  ${from} → ${to}`);
  };

  const known = scheme.allKnownTypes();
  section('gvkToType', known);
  section(
    'typeToGVK',
    [...new Set(known.values())].map((type) => [type, scheme.kindsFor(type).join('; ')]),
  );
  section('unversionedTypes', scheme.unversionedTypes());
  section('versions', [['observed', scheme.observedVersions().join(', ')]]);

  lines.push('lookups:');
  lines.push(`  the type of a Deployment in apps/v1: ${scheme.typeFor(appsV1.withKind('Deployment'))}`);
  lines.push(`  a Status, read in apps/v1: ${scheme.typeFor(appsV1.withKind('Status'))}`);
  try {
    scheme.new(coreV1.withKind('Deployment'));
  } catch (error) {
    lines.push(`  a Deployment in v1: ${error instanceof Error ? error.message : error}`);
  }
  return lines;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) console.log(run().join('\n'));
