import type { Catalogue, Kind } from '@coxswain/api';
import { GroupVersion } from '@coxswain/apimachinery';

/**
 * Returns the kind with a resource's name, singular, short name or kind, in the given version or the first that is
 * served by default. Throws with kubectl's message when there is none.
 */
export function findKind(catalogue: Catalogue, name: string, apiVersion?: string): Kind {
  const wanted = name.toLowerCase();
  const only = apiVersion === undefined ? undefined : GroupVersion.parse(apiVersion);
  for (const { group, version, resources } of catalogue.groupVersions) {
    const groupVersion = GroupVersion.of(group, version);
    if (only ? groupVersion !== only : !catalogue.enabledByDefault(groupVersion)) continue;
    const found = resources.find(
      (resource) =>
        resource.name === wanted ||
        resource.singularName === wanted ||
        resource.kind.toLowerCase() === wanted ||
        resource.shortNames?.includes(wanted),
    );
    const kind = found && catalogue.kind(groupVersion.withKind(found.kind));
    if (kind) return kind;
  }
  throw new Error(`the server doesn't have a resource type "${name}"${apiVersion ? ` in ${apiVersion}` : ''}`);
}
