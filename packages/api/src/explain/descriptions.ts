/**
 * Type (`core.v1.PodSpec`) → field → description; the empty field is the type itself, and `dnsPolicy.Default` says what that value of the
 * field means.
 */
export type Descriptions = Readonly<Record<string, Readonly<Record<string, string>>>>;

/**
 * Upstream's descriptions of all built-in types, for `explain` and OpenAPI. They are a megabyte that most programs
 * never need, so they are loaded when first asked for. Rejects when the package has not been built.
 */
export async function loadDescriptions(): Promise<Descriptions> {
  const module: { descriptions: Descriptions } = await import('#descriptions');
  return module.descriptions;
}

/**
 * Kind (`apps/Deployment`, `/Pod`) → column of its Table → description; below an empty name those of columns that every kind has. They are
 * some 40 kB, loaded when first asked for. Rejects when the package has not been built.
 */
export async function loadColumnDescriptions(): Promise<Descriptions> {
  const module: { columnDescriptions: Descriptions } = await import('#column-descriptions');
  return module.columnDescriptions;
}
