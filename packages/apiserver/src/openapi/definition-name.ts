/** Packages whose definitions upstream does not have under `io.k8s.api`. */
const elsewhere: ReadonlyMap<string, string> = new Map([
  ['meta', 'io.k8s.apimachinery.pkg.apis.meta'],
  ['apiextensions', 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions'],
  ['apiregistration', 'io.k8s.kube-aggregator.pkg.apis.apiregistration'],
]);

/** Returns the name of a type's definition: `io.k8s.api.core.v1.PodSpec` for `core.v1.PodSpec`. */
export function definitionName(typeName: string): string {
  const dot = typeName.indexOf('.');
  const pkg = typeName.slice(0, dot);
  return `${elsewhere.get(pkg) ?? `io.k8s.api.${pkg}`}${typeName.slice(dot)}`;
}
