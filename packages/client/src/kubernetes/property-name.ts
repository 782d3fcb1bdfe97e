/**
 * What a resource is called in a group's client: the plural in camel case, as client-go has it, because the plural of the
 * path has lost its capitals. `networkpolicies` of `NetworkPolicy` → `networkPolicies`, `csidrivers` of `CSIDriver` →
 * `csiDrivers`.
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
