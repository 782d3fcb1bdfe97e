/**
 * The property name of a resource in a group's client: the plural in camel case, as in client-go. The capitals come
 * from the kind, because the plural is lowercase. `networkpolicies` of `NetworkPolicy` → `networkPolicies`,
 * `csidrivers` of `CSIDriver` → `csiDrivers`.
 */
export function propertyName(resource: string, kind: string): string {
  const lowerKind = kind.toLowerCase();
  let common = 0;
  while (common < kind.length && lowerKind[common] === resource[common]) common += 1;
  return lowerFirstWord(kind.slice(0, common)) + resource.slice(common);
}

/** `CSIDriver` → `csiDriver`, `Pod` → `pod`. */
export function lowerFirstWord(name: string): string {
  return name.replace(/^[A-Z]+(?=[A-Z][a-z])|^[A-Z]+/, (word) => word.toLowerCase());
}
