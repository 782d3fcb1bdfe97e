/** A resource by which nodes are scored, and how much it weighs beside the others. */
export interface ResourceSpec {
  readonly name: string;
  readonly weight: number;
}

/** How such a list looks in the configuration. */
export const resourceSpecsShape = [{ name: 'string', weight: 'integer' }] as const;

const defaultResources: readonly ResourceSpec[] = [
  { name: 'cpu', weight: 1 },
  { name: 'memory', weight: 1 },
];

/** CPU and memory, unless others are named; each weighs one, unless something else is said. */
export function defaultedResources(specs: readonly Partial<ResourceSpec>[] = []): readonly ResourceSpec[] {
  if (specs.length === 0) return defaultResources;
  return specs.map(({ name = '', weight }) => ({ name, weight: weight || 1 }));
}
