import { Catalogue } from '@coxswain/api';
import { CodecFactory, type GroupVersionKind } from '@coxswain/apimachinery';

/** Kinds that are the same in every group version, in those of custom resources and of nobody too. */
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
/** Kinds of the group meta.k8s.io, by version. */
const ofMeta: Readonly<Record<string, ReadonlySet<string>>> = {
  'meta.k8s.io/v1': new Set(['GetOptions', 'ListOptions', 'PatchOptions', 'WatchEvent', ...tables]),
  'meta.k8s.io/v1beta1': new Set(tables),
};

/** Reads DeleteOptions of any group version. Kinds that upstream's codec knows besides have an error of their own. */
export const deleteOptionsCodecs = new CodecFactory({
  name: 'pkg/runtime/scheme.go:111',
  resolve(gvk) {
    if (gvk.kind === 'DeleteOptions') return Catalogue.builtIn().type('meta.v1.DeleteOptions');
    if (everywhere.has(gvk.kind) || ofMeta[gvk.apiVersion]?.has(gvk.kind))
      throw new Error(`converting (${versionOf(gvk)}.${gvk.kind}) to (v1.DeleteOptions): unknown conversion`);
    return undefined;
  },
});

/** Whose Go package the type is of: only lists of metadata have one of their own in v1beta1. */
const versionOf = ({ kind, version }: GroupVersionKind): string =>
  kind === 'PartialObjectMetadataList' ? version : 'v1';
