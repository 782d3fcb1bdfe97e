import { isQualifiedName, isValidLabelValue } from '@coxswain/apimachinery/validation';

/** Labels of the kubernetes.io and k8s.io domains that a kubelet may set on its node; sorted. */
const allowedLabels: readonly string[] = [
  'beta.kubernetes.io/arch',
  'beta.kubernetes.io/instance-type',
  'beta.kubernetes.io/os',
  'failure-domain.beta.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'kubernetes.io/arch',
  'kubernetes.io/hostname',
  'kubernetes.io/os',
  'node.kubernetes.io/instance-type',
  'topology.kubernetes.io/region',
  'topology.kubernetes.io/zone',
];
const allowedNamespaces: readonly string[] = ['kubelet.kubernetes.io', 'node.kubernetes.io'];

/** Returns what is wrong with `--node-labels`, in upstream's words; undefined if nothing is. */
export function nodeLabelsProblem(labels: ReadonlyMap<string, string>): string | undefined {
  const unknown = [...labels.keys()].filter((key) => isKubernetes(namespaceOf(key)) && !isAllowed(key)).sort();
  if (unknown.length > 0) {
    return (
      `unknown 'kubernetes.io' or 'k8s.io' labels specified with --node-labels: [${unknown.join(' ')}]\n` +
      `--node-labels in the 'kubernetes.io' namespace must begin with an allowed prefix (${allowedNamespaces.join(', ')})` +
      ` or be in the specifically allowed set (${allowedLabels.join(', ')})`
    );
  }
  const invalid = [...labels].flatMap(([key, value]) => {
    const [keyProblems, valueProblems] = [isQualifiedName(key), isValidLabelValue(value)];
    return [
      ...(keyProblems.length > 0 ? [`'${key}' - ${keyProblems.join(', ')}`] : []),
      ...(valueProblems.length > 0 ? [`'${value}' - ${valueProblems.join(', ')}`] : []),
    ];
  });
  return invalid.length > 0 ? `invalid node labels: ${invalid.join('; ')}` : undefined;
}

const namespaceOf = (key: string): string => (key.includes('/') ? key.slice(0, key.indexOf('/')) : '');

const isWithin = (namespace: string, domain: string): boolean =>
  namespace === domain || namespace.endsWith(`.${domain}`);

const isKubernetes = (namespace: string): boolean =>
  isWithin(namespace, 'kubernetes.io') || isWithin(namespace, 'k8s.io');

const isAllowed = (key: string): boolean =>
  allowedLabels.includes(key) || allowedNamespaces.some((domain) => isWithin(namespaceOf(key), domain));
