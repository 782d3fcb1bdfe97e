import { Catalogue } from '@coxswain/api';
import { CodecFactory, type GroupVersionKind } from '@coxswain/apimachinery';

/** Kinds that upstream's scheme has in every group version, even unknown ones ("unversioned" kinds). */
const everywhere: ReadonlySet<string> = new Set([
  'APIGroup',
  'APIGroupList',
  'APIResourceList',
  'APIVersions',
  'CreateOptions',
  'Status',
  'UpdateOptions',
]);
const tables = ['PartialObjectMetadata', 'PartialObjectMetadataList', 'Table', 'TableOptions'] as const;
/** Kinds of the group meta.k8s.io, by group version. */
const ofMeta: Readonly<Record<string, ReadonlySet<string>>> = {
  'meta.k8s.io/v1': new Set(['GetOptions', 'ListOptions', 'PatchOptions', 'WatchEvent', ...tables]),
  'meta.k8s.io/v1beta1': new Set(tables),
};

/** Decodes DeleteOptions of any group version. Other kinds that upstream's codec knows get its conversion error. */
export const deleteOptionsCodecs = new CodecFactory({
  name: 'pkg/runtime/scheme.go:111',
  resolve(gvk) {
    if (gvk.kind === 'DeleteOptions') return Catalogue.builtIn().type('meta.v1.DeleteOptions');
    if (everywhere.has(gvk.kind) || ofMeta[gvk.apiVersion]?.has(gvk.kind))
      throw new Error(`converting (${versionOf(gvk)}.${gvk.kind}) to (v1.DeleteOptions): unknown conversion`);
    return undefined;
  },
});

/** The version of the kind's Go type. Only PartialObjectMetadataList has a type of its own in v1beta1. */
const versionOf = ({ kind, version }: GroupVersionKind): string =>
  kind === 'PartialObjectMetadataList' ? version : 'v1';
