/** A resource for scoring nodes, with its weight. */
export interface ResourceSpec {
  readonly name: string;
  readonly weight: number;
}

/** The shape of a list of resources in the configuration. */
export const resourceSpecsShape = [{ name: 'string', weight: 'integer' }] as const;

const defaultResources: readonly ResourceSpec[] = [
  { name: 'cpu', weight: 1 },
  { name: 'memory', weight: 1 },
];

/** Fills in defaults: CPU and memory for an empty list, and weight 1. */
export function defaultedResources(specs: readonly Partial<ResourceSpec>[] = []): readonly ResourceSpec[] {
  if (specs.length === 0) return defaultResources;
  return specs.map(({ name = '', weight }) => ({ name, weight: weight || 1 }));
}
