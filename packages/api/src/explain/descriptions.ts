/**
 * Type (`core.v1.PodSpec`) → field → description. The empty field name holds the description of the type itself;
 * `dnsPolicy.Default` describes the value `Default` of the field `dnsPolicy`.
 */
export type Descriptions = Readonly<Record<string, Readonly<Record<string, string>>>>;

/**
 * Upstream's descriptions of all built-in types, for `explain` and OpenAPI. They are a megabyte that most programs
 * never need, so the first call loads them. Rejects when the package has not been built.
 */
export async function loadDescriptions(): Promise<Descriptions> {
  const module: { descriptions: Descriptions } = await import('#descriptions');
  return module.descriptions;
}

/**
 * Kind (`apps/Deployment`, `/Pod`) → column of its Table → description. The empty kind holds the columns that every
 * kind has. They are some 40 kB; the first call loads them. Rejects when the package has not been built.
 */
export async function loadColumnDescriptions(): Promise<Descriptions> {
  const module: { columnDescriptions: Descriptions } = await import('#column-descriptions');
  return module.columnDescriptions;
}
