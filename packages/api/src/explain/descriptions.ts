/** Type (`core.v1.PodSpec`) → field → description; the empty field is the type itself. */
export type Descriptions = Readonly<Record<string, Readonly<Record<string, string>>>>;

/**
 * Upstream's descriptions of all built-in types, for `explain` and OpenAPI. They are a megabyte that most programs
 * never need, so they are loaded when first asked for. Rejects when the package has not been built.
 */
export async function loadDescriptions(): Promise<Descriptions> {
  const module: { descriptions: Descriptions } = await import('#descriptions');
  return module.descriptions;
}
